package pictureflags

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/scenes/procedural"
)

// A Program describes a program with several commands.
type Program struct {
	Name string
	// Commands are the commands that have flags, in the order of the manual. The first is the default.
	Commands []Command
	Words    []string // further commands without flags
	Help     func(kong.HelpOptions, *kong.Context) error
	// Outputs is the help text of -o in commands that draw an animation. If it is empty, allOutputs is used.
	Outputs string
	// OtherProgram maps the flags of our other programs to a command that has them.
	OtherProgram map[string]string
}

// A Command is a command of a program.
type Command struct {
	Name, Summary string
	New           func() any // returns a pointer to a struct of the command's flags
}

// NewFlags returns a struct for the flags of a command, or nil if there is no such command. An empty name means the
// default command.
func (p *Program) NewFlags(name string) any {
	for i, c := range p.Commands {
		if c.Name == name || i == 0 && name == "" {
			return c.New()
		}
	}
	return nil
}

// Split separates the name of the command from its arguments. name is empty if args contains no command.
func (p *Program) Split(args []string) (name string, rest []string) {
	return cli.Splitter(func(arg string) bool {
		return slices.Contains(p.Words, arg) || slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == arg })
	}).Split(args)
}

// allOutputs is the help text of -o in programs in which an animation may be a folder of pictures or a single file.
const allOutputs = "Folder, name with #### or %04d, or .png, .gif, .mp4."

// Parser returns a parser for the command `name`. The parameter flags is the result of NewFlags for that command.
func (p *Program) Parser(name string, flags any, global *cli.GlobalFlags, out io.Writer) (*kong.Kong, error) {
	options := []kong.Option{
		kong.Name(strings.TrimSpace(p.Name + " " + name)),
		kong.Writers(out, io.Discard),
		cli.ExitOption(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Help(p.Help),
		kong.Bind(p),
		kong.Vars{"outputs": cmp.Or(p.Outputs, allOutputs)},
	}
	options = append(options, textTypes...)
	if c, ok := flags.(interface{ SeparateAxesFromNames() error }); ok {
		options = append(options, kong.WithAfterApply(c.SeparateAxesFromNames))
	}
	return kong.New(&struct{ kong.Plugins }{kong.Plugins{flags, global}}, options...)
}

// missingValue matches kong's message about a flag without its value, at the end of the command line or before another
// flag.
var missingValue = regexp.MustCompile(`expected \w+ value but got (?:"EOL" \(<EOL>\)|("[^"]*") \([^)]*\))`)

// rewordMissingValue changes kong's message about a missing value to the form of our own messages.
func rewordMissingValue(says string) string {
	return strings.TrimSuffix(missingValue.ReplaceAllString(says, "expected a value, not $1"), ", not ")
}

// Parse calls parser.Parse. After a flag that ends the program, such as --help, selected is nil. Errors about unknown
// flags suggest other flags.
func (p *Program) Parse(parser *kong.Kong, flags any, args []string) (selected *kong.Context, err error) {
	if err := p.checkDashes(parser, args); err != nil {
		return nil, err
	}
	selected, err = cli.Parse(parser, args)
	if err != nil {
		var coded *cli.Error
		if errors.As(err, &coded) { // such an error is about the contents of a file, not about flags
			return nil, coded
		}
		if err := p.unknownFlagError(parser, err); err != nil {
			return nil, err
		}
		says := rewordMissingValue(err.Error())
		return nil, cli.Usagef("%s%s (see %s)", configPrefix(parser, args, err), says, helpFor(parser))
	}
	if c, draws := flags.(interface{ SetGiven(map[string]bool) }); draws && selected != nil {
		c.SetGiven(givenFlags(selected))
	}
	return selected, nil
}

// FlagsOf returns the flags of a command.
func (p *Program) FlagsOf(name string) ([]*kong.Flag, error) {
	parser, err := p.Parser(name, p.NewFlags(name), &cli.GlobalFlags{}, io.Discard)
	if err != nil {
		return nil, fmt.Errorf("internal error: command line: %w", err)
	}
	return parser.Model.Flags, nil
}

// helpFor returns the command line that prints the help of a command.
func helpFor(parser *kong.Kong) string { return parser.Model.Name + " --help" }

// ListScenes prints the procedural scenes if the name of the mesh is only "scene:". It reports whether it printed them.
func ListScenes(mesh Path, out io.Writer) (listed bool) {
	if mesh != procedural.Prefix {
		return false
	}
	for _, s := range procedural.Names() {
		fmt.Fprintf(out, "%-12s %s\n", s.Name, s.Doc)
	}
	return true
}
