package png

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A Text is a keyword and its value, both in UTF-8.
//
// The keyword has 1 to 79 characters of printable Latin-1, without leading, trailing or double spaces ("Title",
// "Software", "Comment"). The value is any text without NUL, with a single line feed between lines. It is stored as
// tEXt if all its characters are Latin-1, and otherwise as uncompressed iTXt.
type Text struct {
	Keyword, Value string
}

// maxKeyword is the limit of PNG section 11.3.3.2 for the length of a keyword in Latin-1 bytes.
const maxKeyword = 79

// maxText is the largest size of a value in bytes. PNG limits a chunk to 2^31-1 bytes. The chunk also holds the
// keyword and the fields of iTXt.
const maxText = math.MaxInt32 - 256

func (t *Text) validate() error {
	if err := validateKeyword(t.Keyword); err != nil {
		return err
	}
	switch {
	case !utf8.ValidString(t.Value):
		return fmt.Errorf("value of %q is not UTF-8", t.Keyword)
	case strings.IndexByte(t.Value, 0) >= 0:
		return fmt.Errorf("value of %q contains NUL", t.Keyword)
	case len(t.Value) > maxText:
		return fmt.Errorf("value of %q has %d bytes, more than %d", t.Keyword, len(t.Value), maxText)
	}
	return nil
}

func validateKeyword(k string) error {
	if !utf8.ValidString(k) {
		return fmt.Errorf("keyword %q is not UTF-8", k)
	}
	if n := utf8.RuneCountInString(k); n < 1 || n > maxKeyword {
		return fmt.Errorf("keyword %q has %d characters, expected 1 to %d", k, n, maxKeyword)
	}
	for _, r := range k {
		if r < ' ' || r > '~' && r < 0xA1 || r > 0xFF {
			return fmt.Errorf("keyword %q contains %U, not a printable Latin-1 character", k, r)
		}
	}
	if k[0] == ' ' || k[len(k)-1] == ' ' || strings.Contains(k, "  ") {
		return errors.New("keyword \"" + k + "\" has a leading, trailing or doubled space")
	}
	return nil
}

// appendText appends the chunk of t, which must be valid.
func appendText(dst []byte, t *Text) []byte {
	if isLatin1(t.Value) {
		dst, start := beginChunk(dst, "tEXt")
		dst = appendLatin1(dst, t.Keyword)
		dst = append(dst, 0)
		dst = appendLatin1(dst, t.Value)
		return endChunk(dst, start)
	}
	dst, start := beginChunk(dst, "iTXt")
	dst = appendLatin1(dst, t.Keyword)
	// The five zeros mean: end of the keyword, no compression, compression method 0, no language, no translated
	// keyword.
	dst = append(dst, 0, 0, 0, 0, 0)
	dst = append(dst, t.Value...)
	return endChunk(dst, start)
}

func isLatin1(s string) bool {
	for _, r := range s {
		if r > 0xFF {
			return false
		}
	}
	return true
}

func appendLatin1(dst []byte, s string) []byte {
	for _, r := range s {
		dst = append(dst, byte(r))
	}
	return dst
}
