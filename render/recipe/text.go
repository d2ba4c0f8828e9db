package recipe

import (
	"strings"
	"unicode"
)

// printable returns text with question marks for what no picture can show: control characters and bytes that are no
// UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
