package jpeg

// A block holds 8x8 samples minus 128, row by row.
type block [64]int16

// factorBits is the number of fractional bits of the factors of the transform. The transform has two passes, over
// rows and over columns. spareBits is the number of fractional bits of the values between the two passes.
const (
	factorBits = 13
	spareBits  = 2
	// coefficientBits is the number of fractional bits of the coefficients that transform returns. Two calls of
	// transform8 give 8 times the result of the transform in T.81. The summand 3 stands for this factor, because 8 is
	// 2^3.
	coefficientBits = 3 + spareBits + factorBits
)

// cosk, for k = 1, 2 and so on, is sqrt(2) cos(k pi/16), times 2^factorBits.
const (
	cos1 = 11363
	cos2 = 10703
	cos3 = 9633
	cos5 = 6437
	cos6 = 4433
	cos7 = 2260
)

// transform writes the cosine transform of a block to out, row by row, with coefficientBits fractional bits. Bit y of
// flat is set if the eight samples of row y are equal. The result columns is the number of columns, from the left,
// that may have coefficients other than 0: 1 if all rows are flat, and otherwise 8.
//
// Two rows share 64-bit numbers in the first pass, and two columns in the second pass. The values a and b are packed
// as a + b 2^32. Sums of such numbers, and products with constants, compute the results for a and b at once, as long
// as each result stays below 2^31.
//
// Samples are below 2^7. A pass multiplies values by at most 8, so values are below 2^10 after the first pass, or 2^12
// with the spare bits. In the second pass they are below 2^15, or 2^29 with the bits of the factors.
func (b *block) transform(flat uint8, out *[64]int32) (columns int) {
	var rows [64]int32
	for y := 0; y < 8; y += 2 {
		if flat>>y&3 == 3 {
			rows[8*y], rows[8*y+8] = int32(b[8*y])<<(3+spareBits), int32(b[8*y+8])<<(3+spareBits)
			continue
		}
		columns = 8
		upper, lower := (*[8]int16)(b[8*y:]), (*[8]int16)(b[8*y+8:])
		var v [8]int64
		for x := range v {
			v[x] = int64(upper[x]) + int64(lower[x])<<32
		}
		transform8(&v)
		to := (*[16]int32)(rows[8*y:])
		const half = 1<<(factorBits-spareBits-1) + 1<<(32+factorBits-spareBits-1)
		for x, w := range v {
			w += half
			first := int32(w)
			to[x] = first >> (factorBits - spareBits)
			to[x+8] = int32((w-int64(first))>>32) >> (factorBits - spareBits)
		}
	}
	if columns == 0 {
		var v [8]int64
		for y := range v {
			v[y] = int64(rows[8*y])
		}
		transform8(&v)
		for y, w := range v {
			out[8*y] = int32(w)
		}
		return 1
	}
	for x := 0; x < 8; x += 2 {
		var v [8]int64
		for y := range v {
			v[y] = int64(rows[8*y+x]) + int64(rows[8*y+x+1])<<32
		}
		transform8(&v)
		for y, w := range v {
			first := int32(w)
			out[8*y+x], out[8*y+x+1] = first, int32((w-int64(first))>>32)
		}
	}
	return columns
}

// transform8 replaces eight numbers by their one-dimensional transform, times 2^factorBits.
func transform8(v *[8]int64) {
	s07, s16, s25, s34 := v[0]+v[7], v[1]+v[6], v[2]+v[5], v[3]+v[4]
	d07, d16, d25, d34 := v[0]-v[7], v[1]-v[6], v[2]-v[5], v[3]-v[4]
	outer, inner := s07+s34, s16+s25
	v[0], v[4] = (outer+inner)<<factorBits, (outer-inner)<<factorBits
	outer, inner = s07-s34, s16-s25
	shared := (outer + inner) * cos6
	v[2], v[6] = shared+outer*(cos2-cos6), shared-inner*(cos2+cos6)
	v[1] = d07*cos1 + d16*cos3 + d25*cos5 + d34*cos7
	v[3] = d07*cos3 - d16*cos7 - d25*cos1 - d34*cos5
	v[5] = d07*cos5 - d16*cos1 + d25*cos7 + d34*cos3
	v[7] = d07*cos7 - d16*cos5 + d25*cos3 - d34*cos1
}
