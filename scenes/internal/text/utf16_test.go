package text

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// TestAsUTF8 converts characters of one to four bytes in both byte orders, with reads of any length.
func TestAsUTF8(t *testing.T) {
	const text = "ascii, é, €, 𝄞𝄞, and the end"
	for mark, order := range map[string]binary.AppendByteOrder{MarkUTF16: binary.LittleEndian, MarkUTF16Big: binary.BigEndian} {
		data := []byte(mark)
		for _, c := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, c)
		}
		half := order.AppendUint16(bytes.Clone(data), 0xd834) // the first half of a surrogate pair
		for _, c := range []struct {
			data []byte
			want string
		}{{data, "\ufeff" + text}, {half, "\ufeff" + text + "\ufffd"}, {append(half, 'x'), "\ufeff" + text + "\ufffd"}} {
			for name, r := range map[string]io.Reader{
				"whole": AsUTF8(bytes.NewReader(c.data)), "bytes": iotest.OneByteReader(AsUTF8(bytes.NewReader(c.data))), "from bytes": AsUTF8(iotest.OneByteReader(bytes.NewReader(c.data))),
			} {
				got, err := io.ReadAll(r)
				if err != nil && err != io.ErrUnexpectedEOF || string(got) != c.want {
					t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
				}
			}
		}
	}
	for _, other := range []string{"", "x", "text", "\xef\xbb\xbftext", "\x00\xff\xfe"} {
		if got, err := io.ReadAll(AsUTF8(bytes.NewReader([]byte(other)))); err != nil || string(got) != other {
			t.Errorf("%q: %q, %v", other, got, err)
		}
	}
}
