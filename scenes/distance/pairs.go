package distance

import "math/bits"

// A pairNumbers gives unordered pairs of vertices the numbers 0, 1, 2 and so on. It is a hash table with open
// addressing.
type pairNumbers struct {
	keys    []uint64 // 1 + (lower vertex << 32 | higher vertex); 0: free
	numbers []uint32
	used    int
}

// newPairNumbers returns a table with capacity for `some` pairs.
func newPairNumbers(some int) *pairNumbers {
	p := &pairNumbers{}
	p.resize(1 << max(8, bits.Len(uint(2*some))))
	return p
}

// number returns the number of a pair. A new pair gets the next number, and the result fresh is then true.
func (p *pairNumbers) number(a, b uint32) (number uint32, fresh bool) {
	key := uint64(min(a, b))<<32 | uint64(max(a, b)) + 1
	at := p.find(key)
	if p.keys[at] == key {
		return p.numbers[at], false
	}
	number = uint32(p.used)
	p.keys[at], p.numbers[at] = key, number
	if p.used++; 2*p.used > len(p.keys) {
		p.resize(2 * len(p.keys))
	}
	return number, true
}

// The method find returns the index at which key is stored, or the free index at which it can be stored.
func (p *pairNumbers) find(key uint64) int {
	const golden = 0x9E3779B97F4A7C15 // multiplicative hashing: Knuth, The Art of Computer Programming 3, section 6.4
	h := (key ^ key>>29) * golden
	mask := len(p.keys) - 1
	at := int(h>>24) & mask
	for p.keys[at] != 0 && p.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

func (p *pairNumbers) resize(n int) {
	keys, numbers := p.keys, p.numbers
	p.keys, p.numbers = make([]uint64, n), make([]uint32, n)
	for i, key := range keys {
		if key != 0 {
			at := p.find(key)
			p.keys[at], p.numbers[at] = key, numbers[i]
		}
	}
}
