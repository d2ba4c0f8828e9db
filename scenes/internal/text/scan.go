package text

import "encoding/binary"

// What follows parses lines of usual form in a text in memory, without taking them apart
// first. The text has one more byte behind it, a control character. ok is false where a
// line has any other form; it then is for Lines.

// Floats parses a line that from b[p] on has as many numbers as to, and nothing behind
// them. next is the start of the next line.
func Floats(b []byte, p int, to []float64) (next int, ok bool) {
	for i := range to {
		for b[p] == ' ' || b[p] == '\t' {
			p++
		}
		if to[i], p, ok = Decimal(b, p); !ok {
			return p, false
		}
	}
	return LineEnd(b, p)
}

// Ints parses a line that from b[p] on has as many whole numbers as to, without signs,
// and nothing behind them. next is the start of the next line.
func Ints(b []byte, p int, to []int64) (next int, ok bool) {
	for i := range to {
		for b[p] == ' ' || b[p] == '\t' {
			p++
		}
		if to[i], p, ok = Whole(b, p); !ok || !IsSpace(b[p]) {
			return p, false
		}
	}
	return LineEnd(b, p)
}

// Whole parses the digits at b[p], at most 18, and returns the index behind them.
func Whole(b []byte, p int) (v int64, next int, ok bool) {
	first := p
	for b[p]-'0' < 10 {
		v = v*10 + int64(b[p]-'0')
		p++
	}
	return v, p, p != first && p-first <= 18
}

// LineEnd steps over blanks and the end of the line.
func LineEnd(b []byte, p int) (next int, ok bool) {
	for b[p] == ' ' || b[p] == '\t' || b[p] == '\r' {
		p++
	}
	if b[p] != '\n' {
		return p, false
	}
	return p + 1, true
}

// eightDigits returns the number whose digits are the eight bytes of v, in the order of
// memory; ok is false if they are no digits. Three multiplications take in the digits in
// pairs, fours and eights (Mula, "Parsing series of integers with SIMD", 2014).
func eightDigits(v uint64) (n uint64, ok bool) {
	const high, threes = 0xF0F0F0F0F0F0F0F0, 0x3333333333333333
	if v&high|(v+0x0606060606060606)&high>>4 != threes {
		return 0, false
	}
	const pair = 0x000000FF000000FF
	v -= 0x3030303030303030
	v = v*10 + v>>8
	return ((v&pair)*(100+1000000<<32) + (v>>16&pair)*(1+10000<<32)) >> 32, true
}

// takeDigits takes in the digits at b[p], eight at a time while there are as many.
func takeDigits(b []byte, p int, mantissa uint64) (uint64, int) {
	for len(b)-p >= 8 {
		n, ok := eightDigits(binary.LittleEndian.Uint64(b[p:]))
		if !ok {
			break
		}
		mantissa = mantissa*100_000_000 + n
		p += 8
	}
	for b[p]-'0' < 10 {
		mantissa = mantissa*10 + uint64(b[p]-'0')
		p++
	}
	return mantissa, p
}
