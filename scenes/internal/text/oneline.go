package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// OneLine prepares s for a message of one line. It quotes s if s contains characters that might start a new line,
// control the terminal, or change the direction of the text.
func OneLine(s string) string {
	if strings.ContainsFunc(s, disturbs) {
		return strconv.Quote(s)
	}
	return s
}

func disturbs(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// Short quotes a name or word for a message and cuts it after 40 bytes.
func Short[T string | []byte](s T) string {
	if len(s) > 40 {
		return fmt.Sprintf("%q", string(s[:40])+"...")
	}
	return fmt.Sprintf("%q", string(s))
}

// wholeName is the greatest length in bytes of a name that Name does not shorten. Of a longer name, Name keeps the
// first nameStart and the last nameEnd bytes. It keeps the end because names that programs generate often differ only
// at their ends.
const (
	wholeName = 100
	nameStart = 24
	nameEnd   = 72
)

// Name prepares a name for a message in which every letter matters. Unlike Short, it quotes only names that are not
// plain words, and keeps both ends of a long name.
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
