package pictureflags

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"

	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
)

// A configFlag is the name of a TOML file that gives values to flags. The keys in the file are names of flags. Keys at
// the top of the file apply to all commands that draw. Keys in a table such as [film] apply to one command. Flags on
// the command line take precedence.
type configFlag string

// MaxConfigBytes limits the size of a configuration in bytes. All flags of all commands together take less than a
// tenth of this limit. A megabyte of keys would take half a minute, because the TOML decoder compares each key with
// all others.
const MaxConfigBytes = 64 << 10

// BeforeResolve is called by kong before it looks for values outside the command line.
func (configFlag) BeforeResolve(k *kong.Kong, ctx *kong.Context, trace *kong.Path, p *Program) error {
	name, ok := ctx.FlagValue(trace.Flag).(configFlag)
	if !ok {
		return nil
	}
	c, err := readConfig(string(name), p)
	if err != nil {
		return err
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		return c.value(strings.TrimSpace(strings.TrimPrefix(k.Model.Name, p.Name)), flag.Name)
	}))
	return nil
}

// A config is the content of a configuration file.
type config struct {
	name   string
	values map[string]any
}

// configTables lists the commands of all programs that may have a table in the file.
var configTables = []string{"image", "animate", "film"}

func readConfig(name string, p *Program) (*config, error) {
	text, err := smallfile.Read(name, MaxConfigBytes)
	if err != nil {
		return nil, fmt.Errorf("--config %s: %w", name, FileCause(err))
	}
	c := &config{name: name}
	if err := toml.Unmarshal(smallfile.TrimBOM(text), &c.values); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			return nil, fmt.Errorf("%s: line %d, column %d: %w", name, row, column, err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, c.check(p)
}

// check returns an error for keys that are not flags of a drawing command of any of our programs. It does not check
// tables for commands of another program.
func (c *config) check(p *Program) error {
	known := map[string]bool{}
	for flag := range p.OtherProgram {
		known[flag] = true
	}
	var own []string // commands of this program that have tables
	ours := map[string]bool{}
	for _, command := range p.Commands {
		flags, err := p.FlagsOf(command.Name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == "config" }) {
			continue
		}
		own = append(own, command.Name)
		for _, f := range flags {
			ours[f.Name] = f.Name != "config" && f.Name != "help" && f.Name != "version"
			known[f.Name] = ours[f.Name]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		value := c.values[key]
		table, isTable := value.(map[string]any)
		if !isTable {
			table = map[string]any{key: value}
		} else if !slices.Contains(configTables, key) {
			return fmt.Errorf("%s: [%s]: expected tables called %s", c.name, key, strings.Join(configTables, ", "))
		} else if !slices.Contains(own, key) {
			continue // the program that has this command checks the table
		}
		for _, flag := range slices.Sorted(maps.Keys(table)) {
			if !known[flag] || isTable && !ours[flag] {
				near := cli.Nearest(strings.ToLower(strings.ReplaceAll(flag, "_", "-")), slices.Sorted(maps.Keys(known)))
				if near != "" && known[near] {
					near = ", did you mean " + near + "?"
				} else {
					near = ""
				}
				return fmt.Errorf("%s: %s: there is no flag of this name%s", c.name, flag, near)
			}
		}
	}
	return nil
}

// value returns the value of a flag in the file, in the form of the command line. It returns nil if the file has no
// value for the flag. Lists of numbers are joined by commas, and lists of words by semicolons.
func (c *config) value(command, flag string) (any, error) {
	if command == "" {
		command = "image"
	}
	value, ok := c.values[flag]
	if table, isTable := c.values[command].(map[string]any); isTable {
		if own, has := table[flag]; has {
			value, ok = own, true
		}
	}
	if !ok {
		return nil, nil
	}
	list, isList := value.([]any)
	if !isList {
		return fmt.Sprint(value), nil
	}
	separator := ","
	words := make([]string, len(list))
	for i, v := range list {
		if _, isText := v.(string); isText {
			separator = cmp.Or(listSeparators[flag], ";")
		}
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, separator), nil
}

// wrongValue matches the beginning of kong's messages about the value of a flag.
var wrongValue = regexp.MustCompile(`^--([a-z-]+)(: | must )`)

// configPrefix returns a prefix for an error about the value of a flag. The prefix names the configuration file. It is
// "" if the value comes from the command line.
func configPrefix(parser *kong.Kong, args []string, err error) string {
	at := wrongValue.FindStringSubmatch(err.Error())
	if at == nil {
		return ""
	}
	names := []string{"--" + at[1]}
	for _, flag := range parser.Model.Flags {
		if flag.Name == at[1] && flag.Short != 0 {
			names = append(names, "-"+string(flag.Short))
		}
	}
	file := ""
	for i, arg := range args {
		if arg == "--" {
			break
		}
		for _, name := range names {
			if arg == name || strings.HasPrefix(arg, name+"=") || len(name) == 2 && strings.HasPrefix(arg, name) {
				return ""
			}
		}
		if arg == "--config" && i+1 < len(args) {
			file = args[i+1]
		} else if name, ok := strings.CutPrefix(arg, "--config="); ok {
			file = name
		}
	}
	if file == "" {
		return ""
	}
	return file + ": "
}
