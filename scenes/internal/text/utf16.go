package text

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Byte-order marks at the start of UTF-16 texts, one for each order of bytes.
const (
	MarkUTF16    = "\xff\xfe"
	MarkUTF16Big = "\xfe\xff"
)

// AsUTF8 converts a text in UTF-16 that starts with a byte-order mark to UTF-8. It returns other data unchanged.
// Invalid UTF-16 becomes U+FFFD.
func AsUTF8(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	mark, _ := b.Peek(2)
	switch string(mark) {
	case MarkUTF16:
		return &utf16Reader{r: b, order: binary.LittleEndian}
	case MarkUTF16Big:
		return &utf16Reader{r: b, order: binary.BigEndian}
	}
	return b
}

// A utf16Reader converts UTF-16 to UTF-8.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	left  []byte // bytes of a character that did not fit into the caller's buffer
	room  [utf8.UTFMax]byte
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(u.left) == 0 {
			c, err := u.next()
			if err != nil {
				return n, err
			}
			u.left = utf8.AppendRune(u.room[:0], c)
		}
		k := copy(p[n:], u.left)
		u.left = u.left[k:]
		n += k
	}
	return n, nil
}

// next reads a character.
func (u *utf16Reader) next() (rune, error) {
	c, err := u.unit()
	if err != nil || !utf16.IsSurrogate(c) {
		return c, err
	}
	second, err := u.r.Peek(2)
	if err != nil {
		return utf8.RuneError, nil
	}
	pair := utf16.DecodeRune(c, rune(u.order.Uint16(second)))
	if pair != utf8.RuneError {
		_, err = u.r.Discard(2)
	}
	return pair, err
}

// unit reads one code unit of two bytes.
func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err != nil {
		return 0, err
	}
	return rune(u.order.Uint16(b[:])), nil
}
