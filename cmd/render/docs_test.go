package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"lockstep/internal/doctable"
)

// TestDocsTellFlags compares the tables of flags in docs/cli.md with the flags. With -update it writes them.
func TestDocsTellFlags(t *testing.T) {
	const file = "../../docs/cli.md"
	image, animate := flagsOf(t, "image"), flagsOf(t, "animate")
	shared, images, animations := divide(image, animate)
	for _, group := range []string{"", "look", "colors", "view", "lines", "data", "limits", "balancing"} {
		doctable.Check(t, file, "flags "+or(group, "main"), doctable.Flags(shared, group), *update)
	}
	doctable.Check(t, file, "flags image", allGroups(images), *update)
	doctable.Check(t, file, "flags animate", allGroups(animations), *update)
	_, _, viewer := divide(image, flagsOf(t, "view"))
	doctable.Check(t, "../../docs/view.md", "flags view", allGroups(viewer), *update)
	for _, command := range []string{"info", "diff", "convert", "prepare"} {
		_, _, alone := divide(image, flagsOf(t, command))
		doctable.Check(t, file, "flags "+command, allGroups(alone), *update)
	}
}

func flagsOf(t *testing.T, command string) []*kong.Flag {
	t.Helper()
	flags, err := commandLine.FlagsOf(command)
	if err != nil {
		t.Fatal(err)
	}
	return flags
}

// The function divide separates the flags of two commands: flags that both commands have with the same help, and flags
// of only one command.
func divide(a, b []*kong.Flag) (both, onlyA, onlyB []*kong.Flag) {
	has := func(flags []*kong.Flag, flag *kong.Flag) bool {
		return slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == flag.Name && f.Help == flag.Help })
	}
	for _, flag := range a {
		if has(b, flag) {
			both = append(both, flag)
		} else {
			onlyA = append(onlyA, flag)
		}
	}
	for _, flag := range b {
		if !has(a, flag) {
			onlyB = append(onlyB, flag)
		}
	}
	return both, onlyA, onlyB
}

// allGroups returns the flags of all groups as one table.
func allGroups(flags []*kong.Flag) string {
	alone := make([]*kong.Flag, len(flags))
	for i, flag := range flags {
		f := *flag
		f.Group = nil
		alone[i] = &f
	}
	return doctable.Flags(alone, "")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
