package png

import "encoding/binary"

// adlerMod is the modulus of Adler-32 (RFC 1950).
const adlerMod = 65521

// An adler is the state of an Adler-32 sum. s1 is one plus the sum of the bytes. s2 is the sum of the values of s1
// after each byte. Both are modulo adlerMod.
type adler struct{ s1, s2 uint32 }

func newAdler() adler { return adler{1, 0} }

func (a adler) sum() uint32 { return a.s2<<16 | a.s1 }

// adlerBlock is the largest number of bytes that update adds before it reduces s1 and s2 modulo adlerMod. With this
// number, s2 stays below 255*2^40 and does not overflow 64 bits.
const adlerBlock = 1 << 20

// adlerGroup is the number of bytes for one call of sumGroup. sumGroup adds the bytes up in 16-bit numbers, four of
// which are packed in a uint64. The variable named before in sumGroup holds the largest of these numbers. They are at
// most 2*255*(0+1+...+15) = 61200 and do not overflow.
const adlerGroup = 128

// update adds the bytes of p.
func (a *adler) update(p []byte) {
	for len(p) > 0 {
		block := p[:min(len(p), adlerBlock)]
		p = p[len(block):]
		s1, s2 := uint64(a.s1), uint64(a.s2)
		for ; len(block) >= adlerGroup; block = block[adlerGroup:] {
			first, second := sumGroup((*[adlerGroup]byte)(block))
			s2 += adlerGroup*s1 + second
			s1 += first
		}
		for _, b := range block {
			s1 += uint64(b)
			s2 += s1
		}
		a.s1, a.s2 = uint32(s1%adlerMod), uint32(s2%adlerMod)
	}
}

// sumGroup returns two sums of the bytes of p: `first` is what the bytes add to s1, and `second` is what they add to s2
// if s1 is 0 before them.
//
// A word of bytes b0..b7 adds 8*b0 + 7*b1 + ... + b7 + 8*(sum of all bytes before the word) to s2. Bytes at even and
// at odd positions are summed separately, in four packed 16-bit numbers each.
func sumGroup(p *[adlerGroup]byte) (first, second uint64) {
	const low = 0x00FF00FF00FF00FF
	var even, odd, before uint64
	for i := 0; i < adlerGroup; i += 8 {
		x := binary.LittleEndian.Uint64(p[i : i+8])
		before += even + odd
		even += x & low
		odd += x >> 8 & low
	}
	e0, e1, e2, e3 := lanes(even)
	o0, o1, o2, o3 := lanes(odd)
	b0, b1, b2, b3 := lanes(before)
	first = e0 + e1 + e2 + e3 + o0 + o1 + o2 + o3
	second = 8*(b0+b1+b2+b3+e0) + 7*o0 + 6*e1 + 5*o1 + 4*e2 + 3*o2 + 2*e3 + o3
	return first, second
}

func lanes(x uint64) (a, b, c, d uint64) {
	return x & 0xFFFF, x >> 16 & 0xFFFF, x >> 32 & 0xFFFF, x >> 48
}

// updateZeros adds n zero bytes in constant time.
func (a *adler) updateZeros(n int) {
	a.s2 = uint32((uint64(a.s2) + uint64(n%adlerMod)*uint64(a.s1)) % adlerMod)
}

// combine returns the state for the bytes of a followed by the n bytes of b. The sum b began with s1 = 1, not with s1
// = a.s1. Each byte of b has therefore added a.s1-1 too little to s2.
func (a adler) combine(b adler, n int) adler {
	shift := uint64(a.s1) + adlerMod - 1
	return adler{
		s1: uint32((shift + uint64(b.s1)) % adlerMod),
		s2: uint32((uint64(a.s2) + uint64(b.s2) + uint64(n%adlerMod)*(shift%adlerMod)) % adlerMod),
	}
}
