package pictureflags

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// ExitCodes is printed at the end of the help.
const ExitCodes = `
Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 damaged or unknown input,
4 nothing visible, 5 output not written, 6 part of it failed, 7 meshes differ,
130 interrupted.
`

// PrintFlags prints flags, one per line, and the exit codes. It leaves out flags in groups, because each group has a
// page of its own in the help.
func PrintFlags(w io.Writer, flags []*kong.Flag) error {
	for _, flag := range flags {
		if flag.Group == nil {
			fmt.Fprintf(w, "  %-24s %s\n", FlagName(flag), flag.Help)
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
