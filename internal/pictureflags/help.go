package pictureflags

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// ExitCodes is printed at the end of the help.
const ExitCodes = `
Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 damaged or unknown input,
4 nothing visible, 5 output not written, 6 part of it failed, 7 meshes differ,
130 interrupted.
`

// A line on a terminal has helpWidth characters. Descriptions of flags start at column helpColumn.
const (
	helpWidth  = 80
	helpColumn = 27
	helpIndent = "                           "
)

// PrintFlags prints flags and the exit codes. Each flag has a line of its own if it fits. Flags in groups are left out,
// because each group has its own page in the help.
func PrintFlags(w io.Writer, flags []*kong.Flag) error {
	for _, flag := range flags {
		if flag.Group != nil {
			continue
		}
		name, text := fmt.Sprintf("  %-24s ", FlagName(flag)), Wrap(flag.Help, helpWidth-helpColumn, helpIndent)
		if len(name) > helpColumn {
			fmt.Fprintf(w, "%s\n%s", strings.TrimRight(name, " "), text)
		} else {
			fmt.Fprintf(w, "%s%s", name, strings.TrimPrefix(text, helpIndent))
		}
	}
	_, err := io.WriteString(w, ExitCodes)
	return err
}

// FlagName returns the short and long name of a flag and its placeholder.
func FlagName(flag *kong.Flag) string {
	name := "    --" + flag.Name
	if flag.Short != 0 {
		name = fmt.Sprintf("-%c, --%s", flag.Short, flag.Name)
	}
	if !flag.IsBool() {
		name += "=" + flag.FormatPlaceHolder()
	}
	return name
}

// Wrap breaks text into lines of at most width characters, unless a word is longer than that. Each line begins with
// indent.
func Wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
