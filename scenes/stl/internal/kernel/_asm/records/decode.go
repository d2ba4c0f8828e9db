package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decode emits the loop of Decode. An iteration transposes as many records as a vector has float32. The first eight
// coordinates of a record are two quarters of 16 bytes. Quarter q of records j, j+4, and so on fills one vector. Four
// such vectors, j from 0 to 3, are transposed within their 128-bit lanes, which leaves four columns with their records
// in order. The ninth coordinate goes through a general register: in vectors it would take as many shuffles as four
// other coordinates, and the port of shuffles limits this loop.
func decode(bytes int) {
	args := decodeArgs.function("decodeRecords", "does what Decode does, for whole vectors of records.", bytes)
	raw, count := decodeArgs.load(args, "raw"), decodeArgs.load(args, "count")
	var column [coordinates]reg.GPVirtual
	for c := range column {
		m := decodeArgs.at(args, "columns")
		column[c] = GP64()
		MOVQ(m.Offset(8*c), column[c])
	}
	i := GP64()
	XORQ(i, i)
	lanes := bytes / 4
	lane := laneMasks(bytes)
	Label("loop")
	for q := range 2 {
		var v [4]reg.VecVirtual
		for j := range v {
			v[j] = quarters(bytes, lane, Mem{Base: raw, Disp: j*recordSize + vertices + 16*q})
		}
		for c, column := range column[4*q : 4*q+4] {
			if c == 0 {
				v = transpose(bytes, v)
			}
			VMOVUPS(v[c], Mem{Base: column, Index: i, Scale: 4})
		}
	}
	last := GP32()
	for t := range lanes {
		MOVL(Mem{Base: raw, Disp: t*recordSize + vertices + 4*(coordinates-1)}, last)
		MOVL(last, Mem{Base: column[coordinates-1], Index: i, Scale: 4, Disp: 4 * t})
	}
	ADDQ(U32(lanes*recordSize), raw)
	ADDQ(Imm(uint64(lanes)), i)
	CMPQ(i, count)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// laneMasks returns masks of an AVX-512 vector. Each selects one 128-bit lane.
func laneMasks(bytes int) (mask [4]reg.OpmaskVirtual) {
	if bytes == avx512 {
		for lane := 1; lane < len(mask); lane++ {
			bits := GP32()
			MOVL(U32(0xf<<(4*lane)), bits)
			mask[lane] = K()
			KMOVW(bits, mask[lane])
		}
	}
	return mask
}

// quarters loads 16 bytes of every fourth record into the lanes of a vector. For AVX-512 it uses masked broadcasts
// instead of insertions, because a broadcast can use any port, and an insertion only the port of shuffles.
func quarters(bytes int, mask [4]reg.OpmaskVirtual, m Mem) reg.VecVirtual {
	v := vector(bytes)
	if bytes == avx512 {
		VBROADCASTF32X4(m, v)
		for lane := 1; lane < len(mask); lane++ {
			VBROADCASTF32X4(m.Offset(4*lane*recordSize), mask[lane], v)
		}
		return v
	}
	VBROADCASTF128(m, v)
	VINSERTF128(Imm(1), m.Offset(4*recordSize), v, v)
	return v
}

// transpose turns the four rows of each 128-bit lane into four columns.
func transpose(bytes int, v [4]reg.VecVirtual) (column [4]reg.VecVirtual) {
	var ab, cd [2]reg.VecVirtual
	for half := range 2 {
		ab[half], cd[half] = vector(bytes), vector(bytes)
	}
	VUNPCKLPS(v[1], v[0], ab[0])
	VUNPCKHPS(v[1], v[0], ab[1])
	VUNPCKLPS(v[3], v[2], cd[0])
	VUNPCKHPS(v[3], v[2], cd[1])
	for c := range column {
		column[c] = vector(bytes)
		if c%2 == 0 {
			VUNPCKLPD(cd[c/2], ab[c/2], column[c])
		} else {
			VUNPCKHPD(cd[c/2], ab[c/2], column[c])
		}
	}
	return column
}
