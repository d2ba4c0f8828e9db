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

// The longest name that Name leaves whole, and the parts of longer ones that it keeps: names that programs invent, such
// as those of extensions, begin alike and differ in their ends.
const (
	wholeName = 100
	nameStart = 24
	nameEnd   = 72
)

// Name is Short for a name that has to be known to the last letter: plain words stand without quotes, and of long names
// both ends are kept.
func Name(s string) string {
	if len(s) > wholeName {
		s = s[:nameStart] + "..." + s[len(s)-nameEnd:]
	}
	for _, c := range s {
		if c > unicode.MaxASCII || c != '_' && c != '.' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return fmt.Sprintf("%q", s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
