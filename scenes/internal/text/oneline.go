package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// OneLine returns s, quoted if it would break a line or a terminal.
func OneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// Short quotes a name or word for a message.
func Short[T string | []byte](s T) string {
	if len(s) > 40 {
		return fmt.Sprintf("%q", string(s[:40])+"...")
	}
	return fmt.Sprintf("%q", string(s))
}
