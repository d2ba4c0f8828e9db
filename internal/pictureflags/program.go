package pictureflags

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/scenes/procedural"
)

// A Program is a command line of several commands.
type Program struct {
	Name     string
	Commands []Command // that have flags, as completion and the manual list them; the first is the default
	Words    []string  // further commands, without flags
	Help     func(kong.HelpOptions, *kong.Context) error
	// Elsewhere are the flags of our other programs, with the command that has them.
	Elsewhere map[string]string
}

// A Command is a command of a program.
type Command struct {
	Name, What string
	New        func() any // its flags
}

// Find returns the flags of a command, or nil where there is none of that name; "" is the default.
func (p *Program) Find(name string) any {
	for i, c := range p.Commands {
		if c.Name == name || i == 0 && name == "" {
			return c.New()
		}
	}
	return nil
}

// Split parts the command's name, "" where none is given, from its arguments.
func (p *Program) Split(args []string) (name string, rest []string) {
	return cli.Splitter(func(arg string) bool {
		return slices.Contains(p.Words, arg) || slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == arg })
	}).Split(args)
}

// Parser returns a parser for the flags of one command, which are of Find.
func (p *Program) Parser(name string, flags any, global *cli.GlobalFlags, out io.Writer) (*kong.Kong, error) {
	options := []kong.Option{
		kong.Name(strings.TrimSpace(p.Name + " " + name)),
		kong.Writers(out, io.Discard),
		cli.Exit(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Help(p.Help),
		kong.Bind(p),
	}
	options = append(options, textTypes...)
	if c, ok := flags.(interface{ SplitUps() error }); ok {
		options = append(options, kong.WithAfterApply(c.SplitUps))
	}
	return kong.New(&struct{ kong.Plugins }{kong.Plugins{flags, global}}, options...)
}

// Parse is parser.Parse for flags that end the program, which leave nothing selected. Its errors say what may have been
// meant.
func (p *Program) Parse(parser *kong.Kong, flags any, args []string) (selected *kong.Context, err error) {
	if err := p.checkDashes(parser, args); err != nil {
		return nil, err
	}
	selected, err = cli.Parse(parser, args)
	if err != nil {
		var coded *cli.Error
		if errors.As(err, &coded) { // of a file that is no recipe
			return nil, coded
		}
		if err := p.unknown(parser, err); err != nil {
			return nil, err
		}
		return nil, cli.Usagef("%s%w (see %s)", fromConfig(parser, args, err), err, helpFor(parser))
	}
	if c, draws := flags.(interface{ SetGiven(map[string]bool) }); draws && selected != nil {
		c.SetGiven(givenFlags(selected))
	}
	return selected, nil
}

// FlagsOf returns the flags of a command.
func (p *Program) FlagsOf(name string) ([]*kong.Flag, error) {
	parser, err := p.Parser(name, p.Find(name), &cli.GlobalFlags{}, io.Discard)
	if err != nil {
		return nil, fmt.Errorf("internal error: command line: %w", err)
	}
	return parser.Model.Flags, nil
}

// helpFor returns the command line that would have helped with a wrong one.
func helpFor(parser *kong.Kong) string { return parser.Model.Name + " --help" }

// ListScenes prints the procedural scenes where mesh asks for them, which is a scene
// without a name.
func ListScenes(mesh Path, out io.Writer) (listed bool) {
	if mesh != procedural.Prefix {
		return false
	}
	for _, s := range procedural.Names() {
		fmt.Fprintf(out, "%-12s %s\n", s.Name, s.Doc)
	}
	return true
}
