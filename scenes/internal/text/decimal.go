package text

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"
)

// pow10 holds the powers of ten that float64 represents exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// Decimal parses the number that starts at b[p]. White space must follow the number within b. The result is the
// nearest float64 and the index after the number.
//
// Decimal collects the digits in an integer. Often float64 represents this integer and the power of ten exactly. One
// multiplication or division then rounds only once, so the result is correct (Clinger, "How to Read Floating Point
// Numbers Accurately", 1990). decimalSlow parses all other numbers, in practice less than one in a million.
func Decimal(b []byte, p int) (v float64, next int, ok bool) {
	start := p
	negative := b[p] == '-'
	if negative || b[p] == '+' {
		p++
	}
	var mantissa uint64
	first := p
	for b[p]-'0' < 10 {
		mantissa = mantissa*10 + uint64(b[p]-'0')
		p++
	}
	digits, exponent := p-first, 0
	if b[p] == '.' {
		p++
		first = p
		mantissa, p = takeDigits(b, p, mantissa)
		digits += p - first
		exponent = first - p
	}
	if digits > 0 && b[p]|0x20 == 'e' {
		e, end := exponentAt(b, p+1)
		exponent += e
		p = end
	}
	// Up to 19 digits, including leading zeros, always fit into a uint64.
	if !IsSpace(b[p]) || digits == 0 || digits > 19 || mantissa > 1<<53 || exponent < -22 || exponent > 22 {
		return decimalSlow(b, start)
	}
	return exactDecimal(mantissa, exponent, negative), p, true
}

// exactDecimal returns the mantissa times a power of ten. Both must be exact in float64.
func exactDecimal(mantissa uint64, exponent int, negative bool) float64 {
	v := float64(mantissa)
	if exponent < 0 {
		v /= pow10[-exponent]
	} else {
		v *= pow10[exponent]
	}
	if negative {
		return -v
	}
	return v
}

// exponentAt parses an exponent with its sign. If the exponent has no digits, or more digits than any float64 needs,
// the result is a special exponent. For this exponent, Decimal calls decimalSlow.
func exponentAt(b []byte, p int) (e, next int) {
	negative := b[p] == '-'
	if negative || b[p] == '+' {
		p++
	}
	first := p
	for b[p]-'0' < 10 {
		if e < 10000 {
			e = e*10 + int(b[p]-'0')
		}
		p++
	}
	if p == first {
		return math.MaxInt32, p
	}
	if negative {
		e = -e
	}
	return e, p
}

// decimalSlow is like Decimal, but also parses long mantissas, large exponents, and the forms in which C libraries
// print NaN and infinities. A number outside the range of float64 becomes the largest float64. Rounding that number
// to float32 gives infinity. Only a word for infinity gives an infinite float64.
func decimalSlow(b []byte, p int) (v float64, next int, ok bool) {
	next = p
	for !IsSpace(b[next]) {
		next++
	}
	word := b[p:next]
	if v, ok := parseNotFinite(word); ok {
		return v, next, true
	}
	for _, c := range word {
		if (c < '0' || c > '9') && c != '.' && c != '+' && c != '-' && c|0x20 != 'e' {
			return 0, next, false // hexadecimal numbers and "_", which files do not use
		}
	}
	if len(word) == 0 {
		return 0, next, false
	}
	// This makes a string without an allocation, because an allocation would take longer than the parsing. ParseFloat
	// keeps its argument only in an error, and this error is dropped here.
	v, err := strconv.ParseFloat(unsafe.String(&word[0], len(word)), 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, next, false
	}
	return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, v)), next, true
}

// parseNotFinite recognises NaN and infinities: "nan", "inf" and "infinity" in any case with or without sign,
// "nan(...)" of glibc and Windows, and "1.#INF", "1.#QNAN" and "1.#IND" of old Windows.
func parseNotFinite(word []byte) (float64, bool) {
	sign := 1
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		if word[0] == '-' {
			sign = -1
		}
		word = word[1:]
	}
	word = bytes.ToLower(word)
	switch {
	case bytes.HasPrefix(word, []byte("nan")), bytes.HasPrefix(word, []byte("1.#qnan")),
		bytes.HasPrefix(word, []byte("1.#snan")), bytes.HasPrefix(word, []byte("1.#ind")):
		return math.NaN(), true
	case string(word) == "inf", string(word) == "infinity", bytes.HasPrefix(word, []byte("1.#inf")):
		return math.Inf(sign), true
	}
	return 0, false
}
