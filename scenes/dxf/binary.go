package dxf

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// binaryHead is the header of a binary file. If the file is printed, the bytes after the mark stop the output.
const binaryHead = binaryMark + "\r\n\x1a\x00"

// A valueShape is the form in which a value is stored in a binary file. A value and its code are called a group.
type valueShape int

const (
	textValue  valueShape = iota // text that ends with a zero byte
	realValue                    // 8 bytes
	shortValue                   // 2 bytes
	longValue                    // 4 bytes
	doubleLong                   // 8 bytes
	flagValue                    // 1 byte
	pieceValue                   // a byte with a count, followed by so many bytes
)

// shapes maps group codes to the forms of their values. An entry applies from its own code up to the code of the next
// entry (exclusive).
var shapes = []struct {
	from  int
	shape valueShape
}{
	{0, textValue}, {10, realValue}, {60, shortValue}, {80, textValue}, {90, longValue}, {100, textValue}, {110, realValue}, {160, doubleLong},
	{170, shortValue}, {180, textValue}, {210, realValue}, {270, shortValue}, {290, flagValue}, {300, textValue}, {310, pieceValue},
	{320, textValue}, {370, shortValue}, {390, textValue}, {400, shortValue}, {410, textValue}, {420, longValue}, {430, textValue},
	{440, longValue}, {460, realValue}, {470, textValue}, {1004, pieceValue}, {1005, textValue}, {1010, realValue}, {1060, shortValue},
	{1071, longValue}, {1072, textValue},
}

// shapeOf returns how the value of a group with the given code is stored.
func shapeOf(code int) valueShape {
	shape := textValue
	for _, s := range shapes {
		if code < s.from {
			break
		}
		shape = s.shape
	}
	return shape
}

// longCode is a byte that is followed by a code of two bytes. It occurs in files whose other codes have one byte.
const longCode = 255

// newGroupReader returns the groups of a text or a binary file.
func newGroupReader(data []byte) groupReader {
	if !bytes.HasPrefix(data, []byte(binaryMark)) {
		return groupReader{data: data}
	}
	p := groupReader{data: data[min(len(data), len(binaryHead)):], binary: true}
	// The first group is the start of a section (code 0) or a comment (code 999). If codes have one byte, the file
	// starts with the code 0 and a letter, or with longCode and the code 999 in two bytes.
	p.wide = len(p.data) > 1 && p.data[0] != longCode && p.data[1] < ' '
	return p
}

// nextBinary reads the next group of a binary file. It converts a number to the text that a text file would have.
func (p *groupReader) nextBinary() bool {
	rest := p.data[p.at:]
	code, size := 0, 1
	switch {
	case len(rest) == 0 || p.bad:
		return false
	case p.wide:
		code, size = p.firstShort(rest), 2
	case rest[0] == longCode:
		code, size = p.firstShort(rest[1:]), 3
	default:
		code = int(rest[0])
	}
	value, used := p.binaryValue(shapeOf(code), rest[min(size, len(rest)):])
	if used < 0 || size > len(rest) {
		p.bad, p.at = true, len(p.data)
		return false
	}
	p.code, p.value = code, value
	p.at += size + used
	p.line += 2 // a text file has two lines per group
	return true
}

// firstShort returns the number in the first two bytes of b, or 0 if b is shorter.
func (p *groupReader) firstShort(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b))
}

// binaryValue returns the value at the start of b as text, and the number of bytes that it takes. used is -1 if b is
// too short.
func (p *groupReader) binaryValue(shape valueShape, b []byte) (value []byte, used int) {
	switch shape {
	case textValue:
		if used = bytes.IndexByte(b, 0); used < 0 {
			return nil, -1
		}
		return bytes.TrimSpace(b[:used]), used + 1
	case pieceValue:
		if len(b) == 0 || int(b[0]) >= len(b) {
			return nil, -1
		}
		return nil, 1 + int(b[0])
	}
	size := [...]int{realValue: 8, shortValue: 2, longValue: 4, doubleLong: 8, flagValue: 1}[shape]
	if len(b) < size {
		return nil, -1
	}
	v := int64(0)
	switch shape {
	case realValue:
		p.scratch = strconv.AppendFloat(p.scratch[:0], math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
		return p.scratch, size
	case shortValue:
		v = int64(int16(binary.LittleEndian.Uint16(b)))
	case longValue:
		v = int64(int32(binary.LittleEndian.Uint32(b)))
	case doubleLong:
		v = int64(binary.LittleEndian.Uint64(b))
	default:
		v = int64(b[0])
	}
	p.scratch = strconv.AppendInt(p.scratch[:0], v, 10)
	return p.scratch, size
}
