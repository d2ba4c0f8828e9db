// Package binary reads consecutive numbers from the input of a binary format.
package binary

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"lockstep/scenes/format"
)

// ErrEnd is returned if the input ends before the next number.
var ErrEnd = errors.New("end of file")

// bufferSize is the size of the buffer, which fits into the second-level cache.
const bufferSize = 256 << 10

// A Reader reads numbers. The caller must call Fits before each number.
type Reader struct {
	in    *format.Input
	big   bool
	buf   []byte
	pos   int // index in buf of the next byte
	end   int // index in buf after the last byte
	at    int64
	atEOF bool
}

// NewReader returns a reader for an input. It starts after the first `skip` bytes, which must be part of the prefix.
func NewReader(in *format.Input, skip int, bigEndian bool) *Reader {
	r := &Reader{in: in, big: bigEndian, buf: make([]byte, bufferSize), at: int64(skip)}
	r.end = copy(r.buf, in.Prefix[skip:])
	r.atEOF = in.Size == int64(len(in.Prefix))
	return r
}

// Offset returns the offset of the next byte in the input.
func (r *Reader) Offset() int64 { return r.at + int64(r.pos) }

// Fits returns nil if at least n bytes follow. Otherwise it returns ErrEnd or an error of the input. n is at most 8.
func (r *Reader) Fits(n int) error {
	if r.end-r.pos >= 8 {
		return nil
	}
	return r.fill(n)
}

func (r *Reader) fill(n int) error {
	if !r.atEOF {
		r.at += int64(r.pos)
		r.end = copy(r.buf, r.buf[r.pos:r.end])
		r.pos = 0
		k, err := r.in.Fill(r.buf[r.end:])
		r.end += k
		if err != nil && err != io.EOF {
			return err
		}
		r.atEOF = err == io.EOF
	}
	if r.end-r.pos < n {
		return ErrEnd
	}
	return nil
}

// Window returns the next bytes and does not skip them. It returns at least n bytes, unless the input ends before. n is
// at most 4096.
func (r *Reader) Window(n int) ([]byte, error) {
	if r.end-r.pos < n {
		if err := r.fill(n); err != nil && err != ErrEnd {
			return nil, err
		}
	}
	return r.buf[r.pos:r.end], nil
}

// Skip skips n bytes of the window.
func (r *Reader) Skip(n int) { r.pos += n }

// BigEndian reports whether numbers have their high byte first.
func (r *Reader) BigEndian() bool { return r.big }

// More reports whether the input has more bytes.
func (r *Reader) More() (bool, error) {
	err := r.Fits(1)
	if err == ErrEnd {
		return false, nil
	}
	return err == nil, err
}

// Uint8 reads a byte.
func (r *Reader) Uint8() uint8 {
	r.pos++
	return r.buf[r.pos-1]
}

// Uint16 reads an unsigned number of two bytes.
func (r *Reader) Uint16() uint16 {
	p := r.buf[r.pos:]
	r.pos += 2
	if r.big {
		return binary.BigEndian.Uint16(p)
	}
	return binary.LittleEndian.Uint16(p)
}

// Uint32 reads an unsigned number of four bytes.
func (r *Reader) Uint32() uint32 {
	p := r.buf[r.pos:]
	r.pos += 4
	if r.big {
		return binary.BigEndian.Uint32(p)
	}
	return binary.LittleEndian.Uint32(p)
}

// Uint64 reads an unsigned number of eight bytes.
func (r *Reader) Uint64() uint64 {
	p := r.buf[r.pos:]
	r.pos += 8
	if r.big {
		return binary.BigEndian.Uint64(p)
	}
	return binary.LittleEndian.Uint64(p)
}

// Float32 reads a number of single precision.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }

// Float64 reads a number of double precision.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }
