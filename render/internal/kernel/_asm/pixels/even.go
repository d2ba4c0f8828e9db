package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// evenLoop is the state of the generator while it emits a loop of Even.
type evenLoop struct {
	*Lanes
	grid            int
	rows            []reg.GPVirtual // for each row of samples, address of the first sample of the iteration
	i               reg.GPVirtual   // first pixel of the iteration
	pix, background reg.GPVirtual
	uneven, covered reg.GPVirtual // bits of the pixels that Even leaves to the caller, and number of pixels with a colour
}

// even emits the loop of Even for pixels of grid x grid samples.
func even(f *File, lanes, grid int) {
	l := &evenLoop{Lanes: f.Function(fmt.Sprintf("even%d", grid), lanes, fmt.Sprintf("does what Even does for %d x %d samples.", grid, grid)), grid: grid}
	stride := l.Int("stride")
	for y := range grid {
		row := l.Int("src")
		for range y {
			l.ADDQ(stride, row)
		}
		l.rows = append(l.rows, row)
	}
	l.pix, l.background, l.i, l.uneven, l.covered = l.Int("pix"), l.GP32(), l.GP64(), l.GP64(), l.GP64()
	l.MOVL(l.Arg("pixel"), l.background)
	for _, r := range []reg.GPVirtual{l.i, l.uneven, l.covered} {
		l.XORQ(r, r)
	}
	emit, pixels := l.onePixel, 1
	if lanes == AVX512 {
		emit, pixels = l.manyPixels(), l.Go("evenPixels")
	}
	count := l.Int("count")
	l.Label("loop")
	emit()
	for _, row := range l.rows {
		l.ADDQ(operand.I32(8*grid*pixels), row)
	}
	l.ADDQ(operand.Imm(uint64(pixels)), l.i)
	l.CMPQ(l.i, count)
	l.JLT(operand.LabelRef("loop"))
	l.MOVQ(l.uneven, l.Arg("uneven"))
	l.MOVQ(l.covered, l.Arg("covered"))
	l.Return()
}

// pixels returns the memory of the iteration's pixels.
func (l *evenLoop) pixels() operand.Mem { return operand.Mem{Base: l.pix, Index: l.i, Scale: 4} }

// manyPixels emits the code before the loop. It returns a function that emits an iteration of evenPixels pixels. A
// vector holds one row of samples of several pixels: of two pixels of 4 x 4 samples, or of four pixels of 2 x 2
// samples.
func (l *evenLoop) manyPixels() func() {
	low, places, background, opaque := l.ZMM(), l.YMM(), l.YMM(), l.YMM()
	l.VPBROADCASTQ(l.Table("lowHalf", operand.U64(1<<32-1)), low)
	first := make([]operand.Constant, l.Go("evenPixels")) // position in a row of the first sample of each pixel
	for i := range first {
		first[i] = operand.U32(l.grid * i)
	}
	l.VMOVDQU(l.Table(fmt.Sprintf("first%d", l.grid), first...), places)
	l.VPBROADCASTD(l.background, background)
	l.VPBROADCASTD(l.Table("opaque", operand.U32(0xff<<24)), opaque)
	return func() {
		l.Comment("Compare the samples with the first of their pixel.")
		bits := l.GP32()
		for v := range l.grid {
			of := l.unlikeFirst(64*v, low)
			if v == 0 {
				l.MOVL(of, bits)
				continue
			}
			l.SHLL(operand.Imm(uint64(8*v)), of)
			l.ORL(of, bits)
		}
		l.Comment("A pixel is uneven if one of its samples is unlike the first.")
		l.anyOfPixel(bits)
		shifted := l.GP64()
		l.SHLXQ(l.i, bits.As64(), shifted)
		l.ORQ(shifted, l.uneven)
		l.Comment("Write the pixels as if all were even.")
		all, payload, pixel, hit := l.K(), l.YMM(), l.YMM(), l.K()
		l.KXNORW(all, all, all)
		l.VPXOR(payload, payload, payload)
		l.VPGATHERDD(operand.Mem{Base: l.rows[0], Index: places, Scale: 8}, all, payload)
		l.VPTESTMD(payload, payload, hit)
		l.VMOVDQA64(background, pixel)
		l.VPTERNLOGD(operand.U8(0xbb), opaque, payload, hit, pixel) // opaque, or else the complement of payload
		l.VMOVDQU(pixel, l.pixels())
		hits := l.GP32()
		l.KMOVW(hit, hits)
		l.ANDNL(hits, bits, hits)
		l.POPCNTL(hits, hits)
		l.ADDQ(hits.As64(), l.covered)
	}
}

// unlikeFirst returns a bit for each of eight columns of samples. Each sample is compared with the first sample of
// its pixel. The bit is set if the lower halves differ, or if the lower half of the first sample is 0 and one of the
// two samples is a key.
func (l *evenLoop) unlikeFirst(disp int, low Vec) reg.GPVirtual {
	row, first, differ := l.ZMM(), l.ZMM(), l.ZMM()
	l.VMOVDQU64(operand.Mem{Base: l.rows[0], Disp: disp}, row)
	if l.grid == 4 {
		l.VPERMQ(operand.U8(0), row, first)
	} else {
		l.VPUNPCKLQDQ(row, row, first)
	}
	l.VPXORQ(row, first, differ)
	for _, base := range l.rows[1:] {
		l.VPTERNLOGQ(operand.U8(0xf6), operand.Mem{Base: base, Disp: disp}, first, differ) // differ, or unlike the first sample
	}
	unlike, none, key := l.K(), l.K(), l.K()
	l.VPTESTMQ(low, differ, unlike)
	l.VPTESTNMQ(low, first, none)
	l.VPORQ(first, differ, differ)
	l.VPTESTMQ(differ, differ, none, key)
	l.KORW(unlike, key, unlike)
	bits := l.GP32()
	l.KMOVW(unlike, bits)
	return bits
}

// anyOfPixel packs the bits of each pixel (grid bits) into one bit. This bit is set if any of them is set.
func (l *evenLoop) anyOfPixel(bits reg.GPVirtual) {
	moved, pick := l.GP32(), l.GP32()
	for shift := 1; shift < l.grid; shift *= 2 {
		l.MOVL(bits, moved)
		l.SHRL(operand.Imm(uint64(shift)), moved)
		l.ORL(moved, bits)
	}
	l.MOVL(operand.U32(map[int]uint32{2: 0x5555, 4: 0x11111111}[l.grid]), pick)
	l.PEXTL(pick, bits, bits)
}

// onePixel emits an iteration of one pixel. A vector holds one row of the pixel's samples.
func (l *evenLoop) onePixel() {
	var first, differ, other reg.VecVirtual = l.YMM(), l.YMM(), l.YMM()
	if l.grid == 2 {
		first, differ, other = l.XMM(), l.XMM(), l.XMM()
	}
	l.VPBROADCASTQ(operand.Mem{Base: l.rows[0]}, first)
	l.VPXOR(operand.Mem{Base: l.rows[0]}, first, differ)
	for _, row := range l.rows[1:] {
		l.VPXOR(operand.Mem{Base: row}, first, other)
		l.VPOR(other, differ, differ)
	}
	payload := l.GP32()
	l.MOVL(operand.Mem{Base: l.rows[0]}, payload)
	l.TESTL(payload, payload)
	l.JNZ(operand.LabelRef("hit"))
	l.Comment("Background, unless there is a key.")
	l.VPOR(first, differ, differ)
	l.VPTEST(differ, differ)
	l.JNZ(operand.LabelRef("uneven"))
	l.MOVL(l.background, l.pixels())
	l.JMP(operand.LabelRef("next"))
	l.Label("hit")
	l.Comment("Only the lower halves count.")
	l.VPSLLQ(operand.Imm(32), differ, differ)
	l.VPTEST(differ, differ)
	l.JNZ(operand.LabelRef("uneven"))
	l.NOTL(payload)
	l.ORL(operand.U32(0xff<<24), payload)
	l.MOVL(payload, l.pixels())
	l.INCQ(l.covered)
	l.JMP(operand.LabelRef("next"))
	l.Label("uneven")
	l.BTSQ(l.i, l.uneven)
	l.Label("next")
}
