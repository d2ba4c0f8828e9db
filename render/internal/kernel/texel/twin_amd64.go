//go:build amd64 && !purego

package texel

import (
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{place(placeAVX512), fetch(fetchAVX512)}
	case isa.AVX2:
		return &Loops{place(placeAVX2), fetch(fetchAVX2)}
	}
	return nil
}

func checkRange(from, n int) {
	if from < 0 || from%16 != 0 || n > Capacity {
		panic("texel: no such points")
	}
}

func place(loop func(*texelArgs)) func(*Points, *[3][3][Capacity]float32, *[Capacity]float32, float32, int, int) {
	return func(p *Points, weights *[3][3][Capacity]float32, counts *[Capacity]float32, all float32, from, n int) {
		if checkRange(from, n); from >= n {
			return
		}
		loop(&texelArgs{
			from: int64(from), points: int64(n), corners: &p.Corners[0][0], uv: &p.UV[0][0], right: &p.Right[0][0], above: &p.Above[0][0],
			weights: &weights[0][0][0], counts: &counts[0], all: all,
		})
		race.Write(p.UV[:])
		race.Write(p.Right[:])
		race.Write(p.Above[:])
	}
}

// mask returns -1 (all bits set) if set is true, otherwise 0.
func mask(set bool) int32 {
	if set {
		return -1
	}
	return 0
}

// reach returns the number of pixels beyond the edge of a texture that a loop can wrap. It is 0 for a repeated
// texture and 1 for a mirrored texture.
func (w Wrap) reach() int32 { return [...]int32{Repeat: 0, Clamp: 1 << 30, Mirror: 1}[w] }

func fetch(loop func(*texelArgs)) func(*Texture, *Points, *Fetched, int, int) {
	return func(t *Texture, p *Points, to *Fetched, from, n int) {
		if checkRange(from, n); from >= n {
			return
		}
		a := texelArgs{
			from: int64(from), points: int64(n), uv: &p.UV[0][0], right: &p.Right[0][0], above: &p.Above[0][0], extent: &p.Extent[0][0],
			picture: &t.Picture[0], widths: &t.Widths[0], heights: &t.Heights[0], starts: &t.Starts[0],
			width: t.Widths[0], height: t.Heights[0], last: int32(t.Last), linear: &t.Linear[0],
			repeatU: mask(t.WrapU == Repeat), repeatV: mask(t.WrapV == Repeat), reachU: t.WrapU.reach(), reachV: t.WrapV.reach(), holes: mask(t.HasAlpha),
			values: &to.Values[0][0], missed: &to.Missed[0],
		}
		if len(t.Smaller) > 0 {
			a.smaller = &t.Smaller[0]
		}
		loop(&a)
		race.Write(to.Values[:])
		race.Write(to.Missed[:])
	}
}
