// Package phrase formats words of messages: on one line, printable, and in the singular or plural.
package phrase

import (
	"fmt"
	"strings"
	"unicode"
)

// OneLine turns a message into a single printable line. Line breaks, which separate joined errors, become semicolons.
func OneLine(s string) string {
	return Printable(strings.ReplaceAll(strings.TrimSpace(s), "\n", "; "))
}

// Printable puts ? in place of each character that would control the terminal, break the line, or change the direction
// of the text. File names and damaged files may contain such characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Plural returns a number and a noun, such as "1 frame" or "3 frames".
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
