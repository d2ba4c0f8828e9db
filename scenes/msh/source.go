package msh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"lockstep/scenes/internal/text"
)

// A source reads the numbers of a file one after the other, in ASCII or in binary.
type source struct {
	data   []byte
	pos    int
	binary bool
	order  binary.ByteOrder
	err    error // first error; after it, all numbers are 0
}

var errEnd = errors.New("the file ends early")

func (s *source) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// take returns the next n bytes, or nil if there are fewer.
func (s *source) take(n int) []byte {
	if n > len(s.data)-s.pos {
		s.fail(errEnd)
		return nil
	}
	s.pos += n
	return s.data[s.pos-n : s.pos]
}

// asciiNumber reads a number in ASCII.
func (s *source) asciiNumber() float64 {
	list := text.NumbersOf(s.data[s.pos:])
	v, ok := list.Float()
	if !ok {
		if !list.More() {
			s.fail(errEnd)
		} else {
			again := text.NumbersOf(s.data[s.pos:])
			s.fail(fmt.Errorf("%s where a number should be", text.Short(again.Word())))
		}
		return 0
	}
	s.pos += list.Taken()
	return v
}

// integer reads an integer in ASCII, or in `size` bytes if the file is binary.
func (s *source) integer(size int) int64 {
	if s.err != nil {
		return 0
	}
	if !s.binary {
		v := s.asciiNumber()
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			s.fail(fmt.Errorf("%v where a whole number should be", v))
			return 0
		}
		return int64(v)
	}
	b := s.take(size)
	switch {
	case b == nil:
		return 0
	case size == 4:
		return int64(int32(s.order.Uint32(b)))
	}
	return int64(s.order.Uint64(b))
}

// float reads a number in ASCII, or a float64 if the file is binary.
func (s *source) float() float64 {
	switch {
	case s.err != nil:
		return 0
	case !s.binary:
		return s.asciiNumber()
	}
	b := s.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(s.order.Uint64(b))
}

// count reads a number of items, which has `size` bytes in a binary file. It fails if the rest of the file cannot hold
// so many items of at least `each` bytes.
func (s *source) count(size, each int) int {
	n := s.integer(size)
	if s.err == nil && (n < 0 || n > int64(len(s.data)-s.pos)/int64(each)+1) {
		s.fail(fmt.Errorf("%d entries, more than its bytes hold", n))
	}
	if s.err != nil {
		return 0
	}
	return int(n)
}

// line returns the next line that is not blank, without surrounding space. It returns nil at the end of the file.
func (s *source) line() []byte {
	for s.pos < len(s.data) {
		rest := s.data[s.pos:]
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.pos = min(len(s.data), s.pos+n+1)
		if line := bytes.TrimSpace(rest[:n]); len(line) > 0 {
			return line
		}
	}
	return nil
}

// integerLine reads a line that contains one integer. Even in binary files, counts of sections have this form.
func (s *source) integerLine() int {
	list := text.NumbersOf(s.line())
	v, ok := list.Int()
	if s.err == nil && (!ok || v < 0 || v > int64(len(s.data))) {
		s.fail(errors.New("an impossible number of entries"))
	}
	if s.err != nil {
		return 0
	}
	return int(v)
}
