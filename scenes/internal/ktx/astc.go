package ktx

// A valueFormat is a number format of ASTC for colours. A value is digit<<bits | low. The digit has the given base, 3
// or 5. low is a number of the given number of bits. If base is 0, there is no digit.
type valueFormat struct{ bits, base int }

// tritBits[n] is the number of bits in which n digits of base 3 are stored together. quintBits[n] is the number of
// bits for n digits of base 5. At most five digits of base 3, or three digits of base 5, are stored together.
var (
	tritBits  = [6]int{0, 2, 4, 5, 7, 8}
	quintBits = [4]int{0, 3, 5, 7}
)

// group returns how many digits are stored together at most, and the number of bits for each count of digits.
func (s valueFormat) group() (size int, bits []int) {
	if s.base == 3 {
		return len(tritBits) - 1, tritBits[:]
	}
	return len(quintBits) - 1, quintBits[:]
}

// readValues reads len(to) values. The digits of all values are stored first, then the low bits of each value.
func (s valueFormat) readValues(b *bits, to []int) {
	if s.base > 0 {
		size, bits := s.group()
		for i := 0; i < len(to); i += size {
			some := to[i:min(i+size, len(to))]
			digits := int(b.take(bits[len(some)]))
			for k := range some {
				some[k], digits = digits%s.base, digits/s.base
			}
		}
	}
	for i := range to {
		to[i] = to[i]<<s.bits | int(b.take(s.bits))
	}
}

// expansions holds constants for the method expand, which scales values with digits to the range 0 to 255. scale is the
// factor of the digit. bits is a pattern of nine bits, in which b stands for bit 1 of the value, c for bit 2, and so
// on.
var expansions = map[valueFormat]struct {
	scale int
	bits  string
}{
	{2, 3}: {93, "b000b0bb0"}, {2, 5}: {54, "b0000bb00"}, {3, 3}: {44, "cb000cbcb"}, {3, 5}: {26, "cb0000cbc"}, {4, 3}: {22, "dcb000dcb"},
	{4, 5}: {13, "dcb0000dc"}, {5, 3}: {11, "edcb000ed"}, {5, 5}: {6, "edcb0000e"}, {6, 3}: {5, "fedcb000f"},
}

// table maps each number that readValues can return to a value from 0 to 255.
func (s valueFormat) table() []uint8 {
	all := make([]uint8, max(s.base, 1)<<s.bits)
	for i := range all {
		all[i] = uint8(s.expand(i&(1<<s.bits-1), i>>s.bits))
	}
	return all
}

// expand returns the value, from 0 to 255, of a number with the given low bits and digit.
func (s valueFormat) expand(low, digit int) int {
	if s.base == 0 {
		v := 0
		for have := 0; have < 8; have += s.bits { // repeats the bits, starting at the top
			if left := 8 - have - s.bits; left >= 0 {
				v |= low << left
			} else {
				v |= low >> -left
			}
		}
		return v
	}
	e := expansions[s]
	v := 0
	for _, letter := range e.bits {
		v <<= 1
		if letter != '0' {
			v |= low >> (letter - 'a') & 1
		}
	}
	v += digit * e.scale
	flip := low & 1 * 511
	v ^= flip
	return flip&128 | v>>2
}

// blend interpolates between low and high with a weight from 0 to 64.
func blend(low, high, weight int) uint8 {
	return uint8((low*257*(64-weight) + high*257*weight + 32) >> 6 >> 8)
}

// spread scales a weight v of the given number of bits to the range 0 to 64.
func spread(v, bits int) int {
	w := 0
	for have := 0; have < 6; have += bits {
		if left := 6 - have - bits; left >= 0 {
			w |= v << left
		} else {
			w |= v >> -left
		}
	}
	if w > 32 {
		w++
	}
	return w
}

// partition returns the subset to which each texel of a 4 by 4 block belongs. ASTC computes patterns of two or three
// subsets from a hash of the seed.
func partition(seed, parts int) (of [16]uint8) {
	seed += (parts - 1) * 1024
	h := hash52(uint32(seed))
	digit := func(at int) int {
		d := int(h>>at) & 15
		return d * d
	}
	first, second := 5, 5 // shifts of the squared digits, for each direction
	if seed&2 != 0 {
		first = 4
	}
	if parts == 3 {
		second = 6
	}
	if seed&1 == 0 {
		first, second = second, first
	}
	for i := range of {
		x, y := 2*(i%4), 2*(i/4) // small blocks use the patterns at twice the scale
		value := func(byX, byY, shift int) int {
			return (digit(byX)>>first*x + digit(byY)>>second*y + int(h>>shift)) & 63
		}
		a, b, c := value(0, 4, 14), value(8, 12, 10), 0
		if parts == 3 {
			c = value(16, 20, 6)
		}
		switch {
		case a >= b && a >= c:
			of[i] = 0
		case b >= c:
			of[i] = 1
		default:
			of[i] = 2
		}
	}
	return of
}

// hash52 is the hash function of ASTC.
func hash52(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}
