package lb

import "math/bits"

// nthLargest returns the n-th largest value, for n from 1 to len(values). ties counts how many of the n largest values
// equal nth. nthLargest reorders values. It is a radix selection from the highest byte, O(len(values)) with at most
// nine passes.
func nthLargest(values []uint64, n int) (nth uint64, ties int) {
	largest := uint64(0)
	for _, v := range values {
		largest = max(largest, v)
	}
	for shift := (bits.Len64(largest) + 7) &^ 7; shift > 0 && len(values) > 1; {
		shift -= 8
		var count [256]int
		for _, v := range values {
			count[byte(v>>shift)]++
		}
		digit := len(count) - 1
		for n > count[digit] {
			n -= count[digit]
			digit--
		}
		values = keepDigit(values, shift, byte(digit))
	}
	return values[0], n
}

// keepDigit moves the values with the digit byte(v>>shift) == digit to the front and returns them.
func keepDigit(values []uint64, shift int, digit byte) []uint64 {
	kept := values[:0]
	for _, v := range values {
		if byte(v>>shift) == digit {
			kept = append(kept, v)
		}
	}
	return kept
}
