package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// GlobalFlags are the flags of every command.
type GlobalFlags struct {
	Quiet    bool        `short:"q" help:"Print errors only."`
	Progress string      `enum:"auto,never,always" default:"auto" placeholder:"WHEN" help:"Progress bar: auto (on a terminal), never or always."`
	Version  VersionFlag `help:"Print the version and exit."`
}

// Set has an app heed the flags.
func (g *GlobalFlags) Set(a *App) {
	a.Quiet = g.Quiet
	a.Progress.Enable(g.Progress, g.Quiet)
}

// errExit leaves the parser after --help, --version and --list.
var errExit = errors.New("exit")

// Exit is the parser's way out for flags that act at once, see Parse.
func Exit() kong.Option { return kong.Exit(func(int) { panic(errExit) }) }

// Parse is parser.Parse for flags that end the program, which leave nothing selected. The parser has the option Exit.
// Its errors are those of kong.
func Parse(parser *kong.Kong, args []string) (selected *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil && p != any(errExit) {
			panic(p)
		}
	}()
	return parser.Parse(args)
}

// Splitter parts names of commands from their arguments.
type Splitter func(name string) bool

// Split parts the command's name, "" where none is given, from its arguments. The flags of every command may stand
// before the name.
func (known Splitter) Split(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-q" || arg == "--quiet" || strings.HasPrefix(arg, "--progress="):
		case arg == "--progress":
			i++
		case arg != "" && known(arg):
			return arg, append(args[:i:i], args[i+1:]...)
		default:
			return "", args
		}
	}
	return "", args
}

// unknownFlag begins messages of kong about a flag that a command does not have.
var unknownFlag = regexp.MustCompile(`^unknown flag (-{1,2}[^\s,]+)`)

// UnknownFlag returns the flag that an error says a command lacks; "" for other errors.
func UnknownFlag(err error) string {
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		return match[1]
	}
	return ""
}

// OwnFlags returns the flags of the command that an error is about.
func OwnFlags(parser *kong.Kong, err error) (names []string) {
	node := parser.Model.Node
	var at *kong.ParseError
	if errors.As(err, &at) && at.Context != nil && at.Context.Selected() != nil {
		node = at.Context.Selected()
	}
	for ; node != nil; node = node.Parent {
		for _, flag := range node.Flags {
			if !flag.Hidden {
				names = append(names, flag.Name)
			}
		}
	}
	return names
}
