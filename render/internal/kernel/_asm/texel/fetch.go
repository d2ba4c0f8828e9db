package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// A fetching holds the registers of the current points, which fill a vector.
type fetching struct {
	*loop
	part        Kept    // share of the next level
	level, taps Kept    // taps is the number of positions that are read, as float32
	step        [2]Kept // distance between two positions
	at          [2]Kept // current position
	sum         [3]Kept
	alpha       Kept
	missed      Kept
	tap         Kept // number of the current position, as float32
}

// fetch emits the loop for texture.texel.
func fetch(f *File, lanes int) {
	l := begin(f, "fetch", lanes, "reads a texture at points.")
	l.points(func() {
		p := &fetching{loop: l}
		p.missed = l.Keep(l.Zero())
		p.footprint()
		p.first()
		p.gatherTaps()
		p.store()
	})
	l.Return()
}

// whether returns a vector in which all bits are set in lanes that mask m selects; other lanes are 0.
func (p *fetching) whether(m Mask) Vec { return p.Choose(m, p.MinusOne(), p.Zero()) }

// unless marks the points that mask m does not select as missed.
func (p *fetching) unless(m Mask) {
	p.Set(p.missed, p.OrBits(p.Choose(m, p.Zero(), p.MinusOne()), p.Again(p.missed)))
}

// sizes returns the two components of a column in pixels of the first level.
func (p *fetching) sizes(name string) (v [2]Kept) {
	for axis, size := range []string{"width", "height"} {
		v[axis] = p.Keep(p.Mul(p.Load(p.column(name, axis)), p.Scalar(size)))
	}
	return v
}

// length emits the code of the function length of package surface.
func (p *fetching) length(v [2]Kept) Kept {
	x := p.Mul(p.Again(v[0]), p.Use(v[0]))
	return p.Keep(p.Sqrt(p.Add(x, p.Mul(p.Again(v[1]), p.Use(v[1])))))
}

// footprint emits the code of texture.footprint for textures with MinifyMean, which averages their pixels.
func (p *fetching) footprint() {
	right, above := p.sizes("right"), p.sizes("above")
	r, a := p.length(right), p.length(above)
	long := p.Keep(p.MaxUnsigned(p.Again(r), p.Use(a)))
	extent := p.length(p.sizes("extent"))
	far := p.Broadcast(p.constant("Farthest"))
	near := p.Greater(far, p.Use(extent), nil)
	p.unless(p.Greater(far, p.Use(long), &near))

	cross := p.Sub(p.Mul(p.Again(right[0]), p.Use(above[1])), p.Mul(p.Again(right[1]), p.Use(above[0])))
	cross = p.And(cross, p.Constant("magnitude", operand.U32(1<<31-1)))
	wide := p.Keep(p.Div(cross, p.Use(long)))
	seen := p.Max(p.Mul(p.Again(wide), p.constant("Longest")), p.Use(extent))
	seenKept := p.Keep(p.Min(seen, p.Use(long)))
	size := p.Max(p.Max(p.Mul(p.Again(seenKept), p.number("perTap", 1./float32(p.Go("MaxTaps")))), p.Use(wide)), p.one())
	small := p.AtLeast(p.Broadcast(p.one()), p.Use(long), nil)
	sizeKept := p.Keep(p.Choose(small, p.Broadcast(p.one()), size))

	// The number of positions is one, two or four.
	p.taps = p.Keep(p.Broadcast(p.one()))
	more := p.KeepMask(p.Greater(p.Again(seenKept), p.Use(sizeKept), nil))
	p.Set(p.taps, p.Choose(p.Mask(more), p.Broadcast(p.number("two", 2)), p.Again(p.taps)))
	within := p.Mask(more)
	most := p.Greater(p.Again(seenKept), p.Add(p.Again(sizeKept), p.Use(sizeKept)), &within)
	p.Set(p.taps, p.Choose(most, p.Broadcast(p.number("four", 4)), p.Again(p.taps)))

	per := p.Keep(p.Div(p.Div(p.Again(seenKept), p.Use(long)), p.Use(p.taps)))
	upwards := p.KeepMask(p.Greater(p.Again(a), p.Use(r), nil))
	for axis := range 2 {
		along := p.Choose(p.Mask(upwards), p.Load(p.column("above", axis)), p.Load(p.column("right", axis)))
		p.step[axis] = p.Keep(p.Choose(p.Mask(more), p.Mul(along, p.Use(per)), p.Zero()))
	}
	p.levelFor(sizeKept)
}

// levelFor emits the code of the function levelFor of package surface. It limits the level to existing levels.
func (p *fetching) levelFor(size Kept) {
	const fraction = 1<<23 - 1
	exponent := p.SubInt(p.ShiftRight(p.Again(size), 23), p.Constant("bias", operand.U32(127)))
	part := p.ToFloat(p.And(p.Again(size), p.Constant("fraction", operand.U32(fraction))))
	part = p.Sub(p.Mul(part, p.number("perFraction", 2./(1<<23))), p.number("half", 0.5))
	// If part is 1 or more, only the next level is read. If part is 0 or less, only this level is read.
	next := p.AtLeast(part, p.one(), nil)
	level := p.Keep(p.SubInt(exponent, p.whether(next)))
	within := p.Greater(p.Broadcast(p.one()), part, nil)
	part = p.Choose(within, part, p.Zero())
	part = p.Max(part, p.Nothing())
	last := p.Scalar("last")
	// Lanes with NaN may have any level. Their level is limited to an existing level before the next level may be used
	// instead.
	p.level = p.Keep(p.MaxInt(p.MinInt(p.Again(level), last), p.Nothing()))
	inside := p.LessInt(p.Again(p.level), last, nil)
	p.part = p.Keep(p.Choose(inside, part, p.Zero()))
}

// first emits the code of footprint.firstPlace.
func (p *fetching) first() {
	back := p.Keep(p.Mul(p.Sub(p.Again(p.taps), p.one()), p.number("half", 0.5)))
	for axis, repeat := range []string{"repeatU", "repeatV"} {
		at := p.Sub(p.Load(p.column("uv", axis)), p.Mul(p.Again(p.step[axis]), p.Use(back)))
		near := p.Greater(at, p.number("before", -p.GoFloat("FarthestPlace")), nil)
		p.at[axis] = p.Keep(at)
		p.unless(p.Greater(p.Broadcast(p.constant("FarthestPlace")), p.Use(p.at[axis]), &near))
		whole := p.And(p.ToFloat(p.Floor(p.Again(p.at[axis]))), p.Scalar(repeat))
		p.Set(p.at[axis], p.Sub(p.Again(p.at[axis]), whole))
	}
}

// gatherTaps emits the loop of texture.texel over the places of the footprint.
func (p *fetching) gatherTaps() {
	for a := range p.sum {
		p.sum[a] = p.Keep(p.Zero())
	}
	p.alpha, p.tap = p.Keep(p.Zero()), p.Keep(p.Zero())
	per := p.Keep(p.Div(p.Broadcast(p.one()), p.Use(p.taps)))
	share, now, level := p.Slot(), p.Slot(), p.Slot()
	second := p.GP32()
	p.Label("taps")
	active := p.Greater(p.Again(p.taps), p.Use(p.tap), nil)
	p.Set(share, p.Choose(active, p.Again(per), p.Zero()))
	p.Set(now, p.Mul(p.Sub(p.Broadcast(p.one()), p.Use(p.part)), p.Use(share)))
	p.Set(level, p.Again(p.level))
	p.XORL(second, second)
	p.Label("level")
	p.quad(level, now)
	p.TESTL(second, second)
	p.JNZ(operand.LabelRef("mixed"))
	p.Set(now, p.Mul(p.Again(share), p.Use(p.part)))
	p.JumpIfNone(p.Greater(p.Again(now), p.Nothing(), nil), "mixed")
	p.Comment("Some show a part of the next level, too.")
	p.Set(level, p.SubInt(p.Again(p.level), p.MinusOne()))
	p.INCL(second)
	p.JMP(operand.LabelRef("level"))
	p.Label("mixed")
	p.Set(p.tap, p.Add(p.Again(p.tap), p.one()))
	for axis := range p.at {
		p.Set(p.at[axis], p.Add(p.Again(p.at[axis]), p.Use(p.step[axis])))
	}
	p.JumpIfNone(p.Greater(p.Again(p.taps), p.Use(p.tap), nil), "averaged")
	p.JMP(operand.LabelRef("taps"))
	p.Label("averaged")
}

// fresh returns a kept mask in a register that the caller may change.
func (p *fetching) fresh(t KeptMask) Mask {
	m := p.Mask(t)
	return p.MaskAnd(m, m)
}

// side holds the pixels of a level that surround a position along one axis.
type side struct {
	low, high Kept // columns or rows of pixels before and after the position
	part      Kept // fraction of the way from low to high, from 0 to 1
	size      Kept // number of pixels of the level along the axis, an integer
}

// side emits the code of level.quad along one axis. It removes lanes from the mask `fine` if they lie too far beyond an
// edge. The limit is the picture's size if the texture is repeated, and one pixel if the texture is mirrored.
func (p *fetching) side(axis int, level Kept, fine *KeptMask) (s side) {
	name := string("UV"[axis])
	size := p.Keep(p.Gather([]string{"widths", "heights"}[axis], p.Again(level), p.fresh(*fine), p.one()))
	x := p.Keep(p.Sub(p.Mul(p.Again(p.at[axis]), p.Use(size)), p.number("half", 0.5)))
	s.size = p.Keep(p.Truncate(p.Again(size)))
	low := p.Keep(p.Floor(p.Again(x)))
	s.part = p.Keep(p.Sub(p.Again(x), p.ToFloat(p.Again(low))))
	high := p.Keep(p.SubInt(p.Again(low), p.MinusOne()))

	around := p.Keep(p.And(p.Again(s.size), p.Scalar("repeat"+name)))
	reach := p.Keep(p.AddInt(p.Again(around), p.Scalar("reach"+name)))
	within := p.Mask(*fine)
	within = p.LessInt(p.Again(high), p.AddInt(p.Again(reach), p.Use(s.size)), &within)
	*fine = p.KeepMask(p.GreaterInt(p.AddInt(p.Again(low), p.Use(reach)), p.Constant("minusOne", operand.I32(-1)), &within))

	last := p.Keep(p.AddInt(p.Again(s.size), p.MinusOne()))
	for _, v := range []Kept{low, high} {
		before := p.ShiftRight(p.Again(v), 31)
		beyond := p.ShiftRight(p.SubInt(p.Again(last), p.Use(v)), 31)
		in := p.AddInt(p.Again(v), p.And(before, p.Use(around)))
		in = p.SubInt(in, p.And(beyond, p.Use(around)))
		p.Set(v, p.MinInt(p.MaxInt(in, p.Nothing()), p.Use(last)))
	}
	s.low, s.high = low, high
	return s
}

// quad emits the code of texture.addValue for the lanes whose share is above 0.
func (p *fetching) quad(level, share Kept) {
	active := p.KeepMask(p.Greater(p.Again(share), p.Nothing(), nil))
	fine := active
	x := p.side(0, level, &fine)
	y := p.side(1, level, &fine)
	lost := p.Without(p.Mask(active), p.Mask(fine))
	p.Set(p.missed, p.OrBits(p.Again(p.missed), p.whether(lost)))

	start := p.Keep(p.Gather("starts", p.Again(level), p.fresh(fine), p.Constant("nothing", operand.U32(0))))
	var index, pixels [4]Kept
	for row, from := range []Kept{y.low, y.high} {
		first := p.AddInt(p.MulInt(p.Again(from), p.Use(x.size)), p.Use(start))
		index[2*row] = p.Keep(p.AddInt(first, p.Use(x.low)))
		index[2*row+1] = p.Keep(p.AddInt(first, p.Use(x.high)))
	}
	for k := range pixels {
		pixels[k] = p.Keep(p.Zero())
	}
	largest := p.KeepMask(p.MaskAnd(p.Mask(fine), p.IsZero(p.Again(level))))
	p.gatherPixels("picture", largest, index, pixels)
	p.gatherPixels("smaller", p.KeepMask(p.Without(p.Mask(fine), p.Mask(largest))), index, pixels)

	one := p.Broadcast(p.one())
	upper := p.Keep(p.Mul(p.Sub(one, p.Use(y.part)), p.Use(share)))
	lower := p.Keep(p.Mul(p.Again(share), p.Use(y.part)))
	left := p.Keep(p.Sub(one, p.Use(x.part)))
	for k, of := range [][2]Kept{{upper, left}, {upper, x.part}, {lower, left}, {lower, x.part}} {
		p.addPixel(k, pixels[k], p.Keep(p.Mul(p.Again(of[0]), p.Use(of[1]))))
	}
}

// gatherPixels loads pixels in the lanes that mask m selects.
func (p *fetching) gatherPixels(from string, m KeptMask, index, pixels [4]Kept) {
	p.JumpIfNone(p.Mask(m), from+"None")
	for k := range pixels {
		p.Set(pixels[k], p.GatherOver(from, p.Again(index[k]), p.fresh(m), p.Again(pixels[k])))
	}
	p.Label(from + "None")
}

// ifHoles emits the code of the function do. This code runs only for textures whose pixels are weighted by their
// alpha.
func (p *fetching) ifHoles(label string, do func()) {
	p.CMPL(p.Arg("holes"), operand.Imm(0))
	p.JEQ(operand.LabelRef(label))
	do()
	p.Label(label)
}

// addPixel emits the code of texture.addPixel.
func (p *fetching) addPixel(k int, pixel, weight Kept) {
	p.ifHoles("whole"+string(rune('0'+k)), func() {
		alpha := p.ToFloat(p.byteOf(pixel, 24))
		alpha = p.Add(p.Div(alpha, p.number("most", 255)), p.constant("Transparent"))
		p.Set(weight, p.Mul(p.Again(weight), alpha))
		p.Set(p.alpha, p.Add(p.Again(p.alpha), p.Use(weight)))
	})
	for a := range p.sum {
		linear := p.Gather("linear", p.byteOf(pixel, 8*a), p.IsZero(p.Zero()), p.Constant("nothing", operand.U32(0)))
		p.Set(p.sum[a], p.Add(p.Mul(linear, p.Use(weight)), p.Use(p.sum[a])))
	}
}

// byteOf returns one byte of each pixel: the byte that starts at the given bit.
func (p *fetching) byteOf(pixel Kept, bit int) Vec {
	v := p.Again(pixel)
	if bit > 0 {
		v = p.ShiftRight(v, bit)
	}
	return p.And(v, p.Constant("byte", operand.U32(255)))
}

// store stores the values of the current points.
func (p *fetching) store() {
	p.ifHoles("filled", func() {
		per := p.Keep(p.Div(p.Broadcast(p.one()), p.Use(p.alpha)))
		for a := range p.sum {
			p.Set(p.sum[a], p.Mul(p.Again(p.sum[a]), p.Use(per)))
		}
	})
	for a := range p.sum {
		p.Store(p.Again(p.sum[a]), p.column("values", a))
	}
	p.Store(p.Again(p.missed), p.column("missed", 0))
}
