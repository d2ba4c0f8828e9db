package ktx

import "fmt"

// longestCode is the length in bits of the longest code word.
const longestCode = 16

// A code is a canonical Huffman code as in Deflate (RFC 1951, section 3.2.2).
type code struct {
	counts  [longestCode + 1]int32 // number of code words of each length
	symbols []uint16               // symbols in the order of their code words
}

// newCode returns the code for symbols whose code words have the given lengths in bits. A symbol of length 0 has no
// code word.
func newCode(lengths []uint8) (*code, error) {
	c := new(code)
	for _, n := range lengths {
		c.counts[n]++
	}
	c.counts[0] = 0
	left := int32(1) // unused code words of the current length
	var next [longestCode + 2]int32
	for n := 1; n <= longestCode; n++ {
		if left = 2*left - c.counts[n]; left < 0 {
			return nil, fmt.Errorf("a Huffman table has more codes than bits allow")
		}
		next[n+1] = next[n] + c.counts[n]
	}
	c.symbols = make([]uint16, next[longestCode+1])
	for s, n := range lengths {
		if n > 0 {
			c.symbols[next[n]] = uint16(s)
			next[n]++
		}
	}
	return c, nil
}

// readSymbol returns the next symbol. If the bits are not a code word, it sets overrun, as at the end of the data.
func (c *code) readSymbol(b *bits) int {
	value, first, index := int32(0), int32(0), int32(0)
	for n := 1; n <= longestCode; n++ {
		value |= int32(b.take(1))
		count := c.counts[n]
		if value-first < count {
			return int(c.symbols[index+value-first])
		}
		index += count
		first = (first + count) << 1
		value <<= 1
	}
	b.overrun = true
	return 0
}

// Symbols in a list of code lengths that repeat a zero or the previous length.
const (
	zerosShort  = 17
	zerosLong   = 18
	repeatShort = 19
	repeatLong  = 20
	lengthCodes = 21
)

// lengthOrder is the order in which the lengths of the code for code lengths are stored. Rare symbols come last.
var lengthOrder = [lengthCodes]uint8{zerosShort, zerosLong, repeatShort, repeatLong, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16}

// runs holds, for each repeating symbol, how many bits its count has and the smallest count.
var runs = map[int]struct{ bits, least int }{zerosShort: {3, 3}, zerosLong: {7, 11}, repeatShort: {2, 3}, repeatLong: {7, 7}}

// readCode reads a Huffman code.
func readCode(b *bits) (*code, error) {
	lengths := make([]uint8, b.take(14))
	if len(lengths) == 0 {
		return new(code), nil
	}
	n := int(b.take(5))
	if n < 1 || n > lengthCodes {
		return nil, fmt.Errorf("a Huffman table has %d lengths of codes", n)
	}
	var small [lengthCodes]uint8
	for _, s := range lengthOrder[:n] {
		small[s] = uint8(b.take(3))
	}
	of, err := newCode(small[:])
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(lengths); {
		s := of.readSymbol(b)
		if b.overrun {
			return nil, errEnd
		}
		run, repeats := runs[s]
		if !repeats {
			lengths[i] = uint8(s)
			i++
			continue
		}
		value := uint8(0)
		if s == repeatShort || s == repeatLong {
			if i == 0 || lengths[i-1] == 0 {
				return nil, fmt.Errorf("a Huffman table repeats a length that is not there")
			}
			value = lengths[i-1]
		}
		times := run.least + int(b.take(run.bits))
		if times > len(lengths)-i {
			return nil, fmt.Errorf("a Huffman table has more lengths than symbols")
		}
		for range times {
			lengths[i] = value
			i++
		}
	}
	return newCode(lengths)
}
