package main

import (
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// unknownFlag begins messages of kong about a flag that a command does not have.
var unknownFlag = regexp.MustCompile(`^unknown flag (-{1,2}[^\s,]+)`)

// unknown returns the message about a flag that the command lacks, with what may have been meant and the
// help of that; nil for other errors.
func unknown(parser *kong.Kong, err error) error {
	match := unknownFlag.FindStringSubmatch(err.Error())
	if match == nil {
		return nil
	}
	flag, help := match[1], helpFor(parser, err)
	meant, command := meantBy(strings.TrimLeft(flag, "-"), ownFlags(parser, err), otherFlags())
	switch {
	case meant == "":
		return usagef("unknown flag %s (see %s)", flag, help)
	case command != "":
		help = "render " + command + " --help"
	}
	return usagef("unknown flag %s, did you mean %s? (see %s)", flag, meant, help)
}

// meantBy returns what may have been meant by a flag, and the command that has it unless it is this one.
// Flags of this name come first, but for those of experiments; then words of other programs; then similar ones.
func meantBy(name string, own []string, others []commandFlag) (meant, command string) {
	for _, o := range others {
		if o.name == name && !o.bench() {
			return "render " + o.command + " --" + name, o.command
		}
	}
	if text, ok := foreignFlags[name]; ok {
		return placed(text, own, others)
	}
	near := nearest(name, slices.Concat(own, slices.Sorted(maps.Keys(foreignFlags))))
	if text, ok := foreignFlags[near]; ok {
		// These are so many that two slips make another word of most: theta of theme.
		if strings.HasPrefix(near, name) || distance(name, near) == 1 && len(name) > 4 || distance(name, near) == 2 && len(name) > 7 {
			return placed(text, own, others)
		}
		near = ""
	}
	if near != "" {
		return "--" + near, ""
	}
	for _, bench := range []bool{true, false} { // of this name, then similar ones
		for _, o := range others {
			if bench && o.name == name || !bench && !o.bench() && nearest(name, []string{o.name}) != "" {
				return "render " + o.command + " --" + o.name, o.command
			}
		}
	}
	return "", ""
}

// placed returns what a word of another program means, with the command that has the flag in front unless
// it is this one.
func placed(text string, own []string, others []commandFlag) (meant, command string) {
	flag, isFlag := strings.CutPrefix(text, "--")
	flag, _, _ = strings.Cut(flag, " ")
	if !isFlag || slices.Contains(own, flag) {
		return text, ""
	}
	for _, o := range others {
		if o.name == flag {
			return "render " + o.command + " " + text, o.command
		}
	}
	return text, ""
}

// ownFlags returns the flags of the command that an error is about.
func ownFlags(parser *kong.Kong, err error) (names []string) {
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

// A commandFlag is a flag of a command.
type commandFlag struct{ command, name string }

// bench reports whether it is a flag of an experiment.
func (f commandFlag) bench() bool { return strings.HasPrefix(f.command, "bench ") }

// otherFlags returns the flags of all commands, of which experiments come last.
func otherFlags() (all []commandFlag) {
	add := func(command string, flags []*kong.Flag) {
		for _, flag := range flags {
			if !flag.Hidden {
				all = append(all, commandFlag{command, flag.Name})
			}
		}
	}
	for _, c := range commandNames {
		if flags, err := flagsOf(c.name); err == nil {
			add(c.name, flags)
		}
	}
	if asks, err := newParser("film", &filmAskCommand{}, &globalFlags{}, io.Discard); err == nil {
		add("film", asks.Model.Flags)
	}
	if bench, err := newParser("bench", newCommand("bench"), &globalFlags{}, io.Discard); err == nil {
		for _, experiment := range bench.Model.Children {
			add("bench "+experiment.Name, experiment.Flags)
		}
	}
	return all
}

// nearest returns the name that a misspelt one is most like, and the first of equals; "" if none is near.
func nearest(name string, among []string) (near string) {
	if len(name) < 2 {
		return ""
	}
	least := 2 // a slip in a short name
	if len(name) > 4 {
		least = 3
	}
	for _, candidate := range among {
		d := distance(name, candidate)
		if len(name) > 2 && d > 1 && strings.HasPrefix(candidate, name) {
			d = 1 // the rest was left out
		}
		if d < least && d < len(candidate) {
			near, least = candidate, d
		}
	}
	return near
}

// distance returns how many letters have to be put in, left out, replaced, or exchanged with the next one, to
// make one word of the other (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// checkDashes refuses long flags with one dash, such as -size and -rotate, those of other programs too: the parser would
// take them for -s with the value "ize", and for -r and -o with the value "tate".
func checkDashes(parser *kong.Kong, args []string) error {
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
			return usagef("unknown flag -%s, did you mean --%s? (see %s)", name, name, helpFor(parser, none))
		}
		if text, ok := foreignFlags[name]; ok {
			meant, _ := placed(text, ownFlags(parser, none), otherFlags())
			return usagef("unknown flag -%s, did you mean %s? (see %s)", name, meant, helpFor(parser, none))
		}
	}
	return nil
}
