package link

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/klauspost/compress/s2"
)

// A Message is a message from one process to another.
type Message struct {
	From  string // the sender; the receiver sets it
	Kind  uint8  // any number below 255 that the user of this package chooses
	Epoch uint32
	Frame uint32
	Body  []byte
}

// headBytes is the size of a message's head, little-endian: magic (1 byte), kind (1), codec (2), epoch (4), frame (4),
// and length of the body (4).
const (
	headBytes = 16
	magic     = 0xa7
)

// kindRefused is the kind of the last message on a connection that a side refuses. Its body is the reason.
const kindRefused = 255

// maxReason limits the length of a reason in bytes.
const maxReason = 500

// cleanReason turns the other side's reason into one printable line.
func cleanReason(text []byte) string {
	line := strings.ToValidUTF8(string(text[:min(len(text), maxReason)]), "?")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, line)
}

// Encodings of a body.
const (
	codecRaw = iota
	codecS2  // the length of the uncompressed body in 4 bytes, then an S2 block
	codecs
)

// appendHead encodes the head of a message whose encoded body has n bytes.
func (m *Message) appendHead(b []byte, codec, n int) []byte {
	b = append(b, magic, m.Kind)
	b = binary.LittleEndian.AppendUint16(b, uint16(codec))
	b = binary.LittleEndian.AppendUint32(b, m.Epoch)
	b = binary.LittleEndian.AppendUint32(b, m.Frame)
	return binary.LittleEndian.AppendUint32(b, uint32(n))
}

// readMessage reads a message of at most limit bytes. The length in the head may be wrong. So memory is allocated only
// as data arrives, unless the pool has a body of that length.
func readMessage(r io.Reader, limit int, memory *bodyPool) (Message, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Message{}, err
	}
	m := Message{Kind: head[1], Epoch: binary.LittleEndian.Uint32(head[4:]), Frame: binary.LittleEndian.Uint32(head[8:])}
	codec, n := binary.LittleEndian.Uint16(head[2:]), binary.LittleEndian.Uint32(head[12:])
	if head[0] != magic || codec >= codecs {
		return m, fmt.Errorf("%w: begins %#02x with codec %d", ErrMalformed, head[0], codec)
	}
	if int64(n) > int64(limit) {
		return m, fmt.Errorf("%w: %d bytes, expected at most %d", ErrMalformed, n, limit)
	}
	body, err := readBody(r, int(n), memory)
	if err != nil {
		return m, err
	}
	if codec == codecRaw {
		m.Body = body
		return m, nil
	}
	m.Body, err = unpack(body, limit, memory)
	memory.put(body)
	if err != nil {
		return m, fmt.Errorf("%w: %d bytes: %w", ErrMalformed, n, err)
	}
	return m, nil
}

// bodyStep is the number of bytes that are allocated before any data has arrived.
const bodyStep = 4 << 20

// readBody reads n bytes.
func readBody(r io.Reader, n int, memory *bodyPool) ([]byte, error) {
	if body := memory.get(n); body != nil {
		_, err := io.ReadFull(r, body)
		return body, err
	}
	body := make([]byte, min(n, bodyStep))
	for at := 0; ; {
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return nil, err
		}
		if at = len(body); at == n {
			return body, nil
		}
		more := make([]byte, min(n, 2*at))
		copy(more, body)
		body = more
	}
}

// pack compresses a body.
func pack(dst, body []byte) []byte {
	if most := 4 + s2.MaxEncodedLen(len(body)); cap(dst) < most {
		dst = make([]byte, most)
	}
	dst = binary.LittleEndian.AppendUint32(dst[:0], uint32(len(body)))
	packed := s2.Encode(dst[4:cap(dst)], body)
	return dst[:4+len(packed)]
}

// unpack decompresses a body. It returns an error if the result would have more than limit bytes.
func unpack(packed []byte, limit int, memory *bodyPool) ([]byte, error) {
	if len(packed) < 4 {
		return nil, fmt.Errorf("compressed into %d bytes", len(packed))
	}
	n := binary.LittleEndian.Uint32(packed)
	if int64(n) > int64(limit) {
		return nil, fmt.Errorf("unpacks to %d bytes: expected at most %d", n, limit)
	}
	if have, err := s2.DecodedLen(packed[4:]); err != nil || have != int(n) {
		return nil, fmt.Errorf("compressed: %d bytes, not %d", have, n)
	}
	return s2.Decode(memory.get(int(n)), packed[4:])
}
