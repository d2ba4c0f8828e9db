package cli

import (
	"fmt"
	"strings"
	"unicode"
)

// OneLine folds a message to a single printable line, in which joined errors
// become clauses.
func OneLine(s string) string {
	return Printable(strings.ReplaceAll(strings.TrimSpace(s), "\n", "; "))
}

// Printable replaces control characters, which file names and damaged files
// bring in, so that they cannot play with a terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Plural returns a count of things, such as 3 frames.
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
