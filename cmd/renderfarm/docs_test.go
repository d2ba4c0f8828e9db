package main

import (
	"flag"
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"lockstep/internal/doctable"
	"lockstep/internal/pictureflags"
)

var update = flag.Bool("update", false, "write the tables of the documentation instead of comparing with them")

// TestDocsTellFlags compares the tables of flags in docs/film.md with the flags. With -update it writes them.
func TestDocsTellFlags(t *testing.T) {
	for _, command := range []string{"film", "node", "serve", "status"} { // retry and cancel have the flags of status
		flags, err := commandLine.FlagsOf(command)
		if err != nil {
			t.Fatal(err)
		}
		doctable.Check(t, "../../docs/film.md", "flags "+command, doctable.Flags(ofFilms(command, flags), ""), *update)
	}
}

// ofFilms removes two kinds of flags: flags of pictures, which docs/cli.md describes, and flags that every command has.
func ofFilms(command string, flags []*kong.Flag) []*kong.Flag {
	everywhere := []string{"quiet", "progress", "version"}
	farm := pictureflags.FarmFlags()
	return slices.DeleteFunc(slices.Clone(flags), func(f *kong.Flag) bool {
		return slices.Contains(everywhere, f.Name) || command == "film" && farm[f.Name] == ""
	})
}
