package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// Version is the version of the programs. The flag --version prints it, and the metadata of pictures contains it.
const Version = "0.1.0"

// A VersionFlag prints the version and exits before other flags are checked.
type VersionFlag bool

// BeforeReset is called by kong when the flag is found.
func (VersionFlag) BeforeReset(k *kong.Kong) error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	name, _, _ := strings.Cut(k.Model.Name, " ")
	fmt.Fprintf(k.Stdout, "%s (Lockstep) %s%s %s %s/%s\n", name, Version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	k.Exit(0)
	return nil
}
