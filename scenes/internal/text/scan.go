package text

import "encoding/binary"

// The functions Floats, Ints, Digits and LineEnd parse lines of the usual form in memory, without splitting them into
// fields. A control character must follow the text. If ok is false, the line has another form and must be parsed by
// Lines.

// Floats parses the rest of a line from b[p] on into `to`. The rest must consist of exactly len(to) numbers. next is
// the start of the next line.
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

// Ints parses the rest of a line from b[p] on into `to`. The rest must consist of exactly len(to) whole numbers without
// signs. next is the start of the next line.
func Ints(b []byte, p int, to []int64) (next int, ok bool) {
	for i := range to {
		for b[p] == ' ' || b[p] == '\t' {
			p++
		}
		if to[i], p, ok = Digits(b, p); !ok || !IsSpace(b[p]) {
			return p, false
		}
	}
	return LineEnd(b, p)
}

// Triangle parses the rest of a line from b[p] on, which must be the number 3, followed by the three numbers of the
// corners of a face, without signs. next is the start of the next line.
func Triangle(b []byte, p int, corners *[3]int64) (next int, ok bool) {
	for b[p] == ' ' || b[p] == '\t' {
		p++
	}
	if b[p] != '3' || b[p+1] != ' ' && b[p+1] != '\t' {
		return p, false
	}
	return Ints(b, p+1, corners[:])
}

// Digits parses up to 18 digits at b[p]. next is the index after them.
func Digits(b []byte, p int) (v int64, next int, ok bool) {
	first := p
	for b[p]-'0' < 10 {
		v = v*10 + int64(b[p]-'0')
		p++
	}
	return v, p, p != first && p-first <= 18
}

// LineEnd skips blanks and the end of the line. ok is false if anything else follows.
func LineEnd(b []byte, p int) (next int, ok bool) {
	for b[p] == ' ' || b[p] == '\t' || b[p] == '\r' {
		p++
	}
	if b[p] != '\n' {
		return p, false
	}
	return p + 1, true
}

// eightDigits returns the number whose eight decimal digits are the bytes of v, in the order of memory. ok is false
// if a byte is not a digit. Three multiplications combine the digits, first to numbers of two digits, then of four,
// then of eight (Mula, "Parsing series of integers with SIMD", 2014).
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

// takeDigits appends the digits at b[p] to the mantissa, eight at a time if possible. It returns the mantissa and the
// index after the digits.
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
