package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// GlobalFlags are the flags that every command has.
type GlobalFlags struct {
	Quiet    bool        `short:"q" help:"Print errors only."`
	Progress string      `enum:"auto,never,always" default:"auto" placeholder:"WHEN" help:"Progress bar: auto (on a terminal), never or always."`
	Version  VersionFlag `help:"Print the version and exit."`
}

// Apply applies the flags to an app.
func (g *GlobalFlags) Apply(a *App) {
	a.Quiet = g.Quiet
	a.Progress.Enable(g.Progress, g.Quiet)
}

// errExit is the value with which Parse panics to leave the parser after --help, --version and --list.
var errExit = errors.New("exit")

// ExitOption returns the option with which a parser must be created for Parse.
func ExitOption() kong.Option { return kong.Exit(func(int) { panic(errExit) }) }

// Parse calls parser.Parse. After a flag that ends the program, such as --help, selected and err are nil. The parser
// needs [ExitOption].
func Parse(parser *kong.Kong, args []string) (selected *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil && p != any(errExit) {
			panic(p)
		}
	}()
	return parser.Parse(args)
}

// A Splitter reports whether a word is the name of a command.
type Splitter func(name string) bool

// Split separates the name of the command from its arguments. name is empty if args contains no command. Global flags
// may precede the name.
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

// unknownFlag matches the beginning of kong's message about an unknown flag.
var unknownFlag = regexp.MustCompile(`^unknown flag (-{1,2}[^\s,]+)`)

// UnknownFlag returns the unknown flag in an error of kong, or "" for other errors.
func UnknownFlag(err error) string {
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		return match[1]
	}
	return ""
}

// OwnFlags returns the names of a command's flags. The command is the one that kong was parsing when it returned err.
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
