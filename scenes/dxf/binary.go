package dxf

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// binaryHead is what stands before the groups of a binary file: a mark, and what ends it for programs that print it.
const binaryHead = binaryMark + "\r\n\x1a\x00"

// A shape is how the value of a group is stored.
type valueShape int

const (
	textValue  valueShape = iota // up to a zero
	realValue                    // 8 bytes
	shortValue                   // 2
	longValue                    // 4
	doubleLong                   // 8
	flagValue                    // 1
	pieceValue                   // as many bytes as the first one says
)

// shapes are those of values by the codes of groups, from each code on up to the next.
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

// shapeOf returns the shape of the values of a code.
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

// longCode is the byte in front of codes that have two bytes in files whose others have one.
const longCode = 255

// newPairs returns the groups of a file.
func newPairs(data []byte) pairs {
	if !bytes.HasPrefix(data, []byte(binaryMark)) {
		return pairs{data: data}
	}
	p := pairs{data: data[min(len(data), len(binaryHead)):], binary: true}
	// The first group begins a section or is a comment. Where codes have one byte, a letter follows or 999 behind longCode.
	p.wide = len(p.data) > 1 && p.data[0] != longCode && p.data[1] < ' '
	return p
}

// nextBinary takes the next group of a binary file. Its number becomes the text that it would be otherwise.
func (p *pairs) nextBinary() bool {
	rest := p.data[p.at:]
	code, size := 0, 1
	switch {
	case len(rest) == 0 || p.bad:
		return false
	case p.wide:
		code, size = p.short(rest), 2
	case rest[0] == longCode:
		code, size = p.short(rest[1:]), 3
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
	p.line += 2 // as the text of the file would have
	return true
}

// short returns a number of two bytes; 0 where there are fewer.
func (p *pairs) short(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b))
}

// binaryValue returns a value as text, and how many bytes it takes: -1 where there are fewer.
func (p *pairs) binaryValue(shape valueShape, b []byte) (value []byte, used int) {
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
		p.room = strconv.AppendFloat(p.room[:0], math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
		return p.room, size
	case shortValue:
		v = int64(int16(binary.LittleEndian.Uint16(b)))
	case longValue:
		v = int64(int32(binary.LittleEndian.Uint32(b)))
	case doubleLong:
		v = int64(binary.LittleEndian.Uint64(b))
	default:
		v = int64(b[0])
	}
	p.room = strconv.AppendInt(p.room[:0], v, 10)
	return p.room, size
}
