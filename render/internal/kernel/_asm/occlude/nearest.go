package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// nearest emits the loop of Nearest.
func nearest(f *File, lanes int) {
	l := &loop{Lanes: f.Function("nearest", lanes, "finds the triangles that cells show.")}
	l.i = l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("loop")
	var keys, pixels [2]Vec
	for h := range 2 {
		keys[h], pixels[h] = l.nearestHalf(h)
	}
	low, high := l.Halves(0x88, keys[0], keys[1]), l.Halves(0xdd, keys[0], keys[1])
	order := l.cellOrder()
	l.Store(l.Permute(high, order), l.At("to", l.i))
	l.Comment("The payload is the complement of the triangle.")
	triangle := l.Xor(low, l.Constant("minusOne", operand.I32(-1)))
	triangle = l.Choose(l.IsZero(high), l.Zero(), triangle)
	l.Store(l.Permute(triangle, order), l.At("triangles", l.i))
	x := l.GP64()
	l.MOVL(l.Arg("x"), x.As32())
	l.LEAQ(operand.Mem{Base: x, Index: l.i, Scale: 2}, x)
	place := l.Permute(l.Halves(0x88, pixels[0], pixels[1]), order)
	place = l.AddInt(place, l.BroadcastInt(x))
	l.Store(l.AddInt(place, l.twice()), l.At("places", l.i))
	l.end()
}

// nearestHalf returns the nearest keys for half of the current cells, and the places of the pixels with these keys.
func (l *loop) nearestHalf(h int) (key, pixel Vec) {
	right, below := l.Broadcast(l.Constant("wholeOne", operand.U32(1))), l.Broadcast(l.Scalar("y"))
	key, other := l.firsts("upper", h)
	closer := l.GreaterKeys(other, key)
	key, pixel = l.BlendKeys(closer, other, key), l.BlendKeys(closer, right, l.Zero())
	other, last := l.firsts("lower", h)
	closer = l.GreaterKeys(other, key)
	key, pixel = l.BlendKeys(closer, other, key), l.BlendKeys(closer, below, pixel)
	closer = l.GreaterKeys(last, key)
	return l.BlendKeys(closer, last, key), l.BlendKeys(closer, l.AddInt(below, right), pixel)
}

// firsts returns the keys of the first samples of the left and of the right pixels, for half of the current cells.
// With AVX-512 it loads the keys of two cells at once. The cells are then in the order 0, 2, 1, 3, 4, 6, 5, 7.
func (l *loop) firsts(name string, h int) (left, right Vec) {
	at := l.GP64()
	l.MOVQ(l.i, at)
	l.SHLQ(operand.Imm(5), at) // four keys a cell
	l.ADDQ(l.Arg(name), at)
	var pairs [2]Vec
	for p := range pairs {
		from := operand.Mem{Base: at, Disp: (4*h + 2*p) * l.Bytes()}
		pairs[p] = l.UnpackLowPairs(l.Load(from), l.Load(from.Offset(l.Bytes())))
	}
	return l.EvenQuarters(pairs[0], pairs[1]), l.OddQuarters(pairs[0], pairs[1])
}

// cellOrder returns a table with the lane of each cell after Halves has been applied to the results of firsts.
func (l *loop) cellOrder() operand.Mem {
	cells := []int{0, 1, 4, 5, 2, 3, 6, 7}
	if l.N == AVX512 {
		cells = []int{0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15}
	}
	lanes := make([]operand.Constant, l.N)
	for lane, cell := range cells {
		lanes[cell] = operand.U32(lane)
	}
	return l.Table(map[int]string{AVX2: "cells8", AVX512: "cells16"}[l.N], lanes...)
}

// twice returns a table with twice the number of each cell.
func (l *loop) twice() operand.Mem {
	var numbers []operand.Constant
	for i := range AVX512 {
		numbers = append(numbers, operand.U32(2*i))
	}
	return l.Table("twice", numbers...)
}
