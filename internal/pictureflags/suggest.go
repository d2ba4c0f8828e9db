package pictureflags

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
)

// unknownFlagError returns an error about an unknown flag. The error suggests another flag and its help. The result is
// nil if err is another kind of error.
func (p *Program) unknownFlagError(parser *kong.Kong, err error) error {
	flag, help := cli.UnknownFlag(err), helpFor(parser)
	if flag == "" {
		return nil
	}
	meant, command := SuggestFlag(strings.TrimLeft(flag, "-"), cli.OwnFlags(parser, err), p.OtherFlags())
	switch {
	case meant == "":
		return cli.Usagef("unknown flag %s (see %s)", flag, help)
	case command != "":
		help = command + " --help"
	}
	return cli.Usagef("unknown flag %s, did you mean %s? (see %s)", flag, meant, help)
}

// SuggestFlag returns the flag that was probably meant by an unknown flag. If only another command has that flag, it
// also returns the command. It tries flags of the same name in other commands, then words of other programs, then
// similar names.
func SuggestFlag(name string, own []string, others []CommandFlag) (meant, command string) {
	for _, o := range others {
		if o.Name == name {
			return o.command + " --" + name, o.command
		}
	}
	if text, ok := ForeignFlags[name]; ok {
		return suggestForeign(text, own, others)
	}
	near := cli.Nearest(name, slices.Concat(own, slices.Sorted(maps.Keys(ForeignFlags))))
	if text, ok := ForeignFlags[near]; ok {
		// With two typing errors, many words become a word of another program; for example, theta becomes theme. So a
		// similar word counts only in three cases:
		//
		//   - name is the beginning of the word
		//   - name has at least five letters and one typing error
		//   - name has at least eight letters and two typing errors
		if strings.HasPrefix(near, name) || cli.Distance(name, near) == 1 && len(name) > 4 || cli.Distance(name, near) == 2 && len(name) > 7 {
			return suggestForeign(text, own, others)
		}
		near = ""
	}
	if near != "" {
		return "--" + near, ""
	}
	for _, o := range others {
		if cli.Nearest(name, []string{o.Name}) != "" {
			return o.command + " --" + o.Name, o.command
		}
	}
	return "", ""
}

// suggestForeign returns our flag for a word of another program. If only another command has this flag, it also returns
// the command.
func suggestForeign(text string, own []string, others []CommandFlag) (meant, command string) {
	flag, isFlag := strings.CutPrefix(text, "--")
	flag, _, _ = strings.Cut(flag, " ")
	if !isFlag || slices.Contains(own, flag) {
		return text, ""
	}
	for _, o := range others {
		if o.Name == flag {
			return o.command + " " + text, o.command
		}
	}
	return text, ""
}

// A CommandFlag is a flag and its command. The name of the command includes the name of the program.
type CommandFlag struct{ command, Name string }

// OtherFlags returns the flags of all commands of all our programs.
func (p *Program) OtherFlags() (all []CommandFlag) {
	add := func(command string, flags []*kong.Flag) {
		for _, flag := range flags {
			if !flag.Hidden {
				all = append(all, CommandFlag{command, flag.Name})
			}
		}
	}
	for _, c := range p.Commands {
		if flags, err := p.FlagsOf(c.Name); err == nil {
			add(p.Name+" "+c.Name, flags)
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(p.OtherProgram)) {
		all = append(all, CommandFlag{p.OtherProgram[flag], flag})
	}
	return all
}

// checkDashes returns an error for a long flag with only one dash, such as -size or -rotate. The library kong would
// read -size as -s with the value "ize", and -rotate as -r and -o with the value "tate". Flags of other programs are
// checked, too.
func (p *Program) checkDashes(parser *kong.Kong, args []string) error {
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "-")
		if arg == "--" {
			return nil
		}
		if name, _, _ = strings.Cut(name, "="); !ok || len(name) < 3 || strings.HasPrefix(name, "-") {
			continue
		}
		none := errors.New("")
		if slices.ContainsFunc(parser.Model.Flags, func(f *kong.Flag) bool { return f.Name == name }) {
			return cli.Usagef("unknown flag -%s, did you mean --%s? (see %s)", name, name, helpFor(parser))
		}
		if text, ok := ForeignFlags[name]; ok {
			meant, _ := suggestForeign(text, cli.OwnFlags(parser, none), p.OtherFlags())
			return cli.Usagef("unknown flag -%s, did you mean %s? (see %s)", name, meant, helpFor(parser))
		}
	}
	return nil
}
