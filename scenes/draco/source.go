package draco

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A DamageError says where a buffer is damaged, and how.
type DamageError struct {
	At  int // offset in bytes
	Err error
}

// Error returns one line: the offset in bytes and the damage.
func (e *DamageError) Error() string { return fmt.Sprintf("byte %d: %v", e.At, e.Err) }

// Unwrap returns e.Err.
func (e *DamageError) Unwrap() error { return e.Err }

// A source reads the bytes of a buffer from front to back. After the first error, every read returns zero. So callers
// may check err after several reads, but must not use results of a read that failed.
type source struct {
	data    []byte
	version int
	at      int
	err     error
}

// fail records the first error.
func (s *source) fail(format string, args ...any) {
	if s.err == nil {
		s.err = &DamageError{At: s.at, Err: fmt.Errorf(format, args...)}
	}
}

// The method left returns the number of unread bytes; 0 after an error.
func (s *source) left() int {
	if s.err != nil {
		return 0
	}
	return len(s.data) - s.at
}

// take returns the next n bytes. If there are fewer, it records an error and returns nil.
func (s *source) take(n uint64) []byte {
	if left := s.left(); n > uint64(left) {
		s.fail("%d bytes, and %d are left", n, left)
		return nil
	}
	p := s.data[s.at : s.at+int(n)]
	s.at += int(n)
	return p
}

func (s *source) u8() uint8 {
	if p := s.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (s *source) u16() uint16 {
	if p := s.take(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

func (s *source) u32() uint32 {
	if p := s.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (s *source) float() float32 { return math.Float32frombits(s.u32()) }

// varint reads a LEB128 number: seven bits per byte, the lowest bits first.
func (s *source) varint() uint64 {
	v, n := binary.Uvarint(s.data[len(s.data)-s.left():])
	if n <= 0 {
		s.fail("a number of varying length that does not end")
		return 0
	}
	s.at += n
	return v
}

// versionedUint reads a number. The number has four bytes in bitstreams older than the given version, and is a varint
// in other bitstreams.
func (s *source) versionedUint(version int) uint64 {
	if s.version < version {
		return uint64(s.u32())
	}
	return s.varint()
}

// readSize reads the size of a block of bytes. The size has eight bytes in bitstreams older than the given version, and
// is a varint in other bitstreams.
func (s *source) readSize(version int) uint64 {
	if s.version < version {
		return uint64(s.u32()) | uint64(s.u32())<<32
	}
	return s.varint()
}

// readCount reads a number of items. The buffer must have room for them: at most perByte items fit into `bytes` bytes.
// If it has no room, count records an error that calls the items by the text `what`.
func (s *source) readCount(what string, bytes, perByte uint64) int {
	n := s.versionedUint(version20)
	if most := uint64(s.left()) / bytes * perByte; n > most {
		s.fail("%d %s in %d bytes", n, what, s.left())
		return 0
	}
	return int(n)
}

// A bitReader reads bits, starting at the lowest bit of each byte. After the last byte, it returns zeros and sets
// `short`.
type bitReader struct {
	data  []byte
	next  int // index of the next byte
	held  uint64
	bits  uint // number of bits in held
	short bool
}

// read returns the next n bits, at most 32.
func (b *bitReader) read(n uint) uint32 {
	for b.bits < n {
		if b.next == len(b.data) {
			b.short = true
			return 0
		}
		b.held |= uint64(b.data[b.next]) << b.bits
		b.next++
		b.bits += 8
	}
	v := uint32(b.held & (1<<n - 1))
	b.held >>= n
	b.bits -= n
	return v
}
