package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// edge holds scanline.edge for the lanes of a vector.
type edge struct{ x, r, dx, dr, d Kept }

func (e *edge) columns() []*Kept { return []*Kept{&e.x, &e.r, &e.dx, &e.dr, &e.d} }

// vector is the state of those lanes of a group that are in one vector.
type vector struct {
	*loop
	left, right edge
	rowStart    Kept // index of the row's first key

	// The next two fields are for AVX-512. until is the number of rows to a lane's next event: its turn, or its end if
	// no turn comes before it. until is 0 only at an event. rest is the number of rows from the turn on, or 0 if the
	// turn is past.
	until, rest Kept
	active      KeptMask // lanes with rows left
	fromY0      [2]Kept  // distance of the row's centre from corner 0, as float64, always a whole number
	// The next fields are for AVX2. rows is the number of rows left, and turn the number of rows to the turn; both are
	// counted down below 0. distance is the distance of the row's centre from corner 0.
	rows, turn, distance Kept

	changing []Kept // all of the above except active

	// The next fields are in memory.
	other      edge           // lower edge, which replaces the short side at the turn
	gx, gy, e0 [2]operand.Mem // each element is for half of the lanes
	fromX0     operand.Mem    // distance of the first pixel's centre from corner 0
	de         operand.Mem
	payload    operand.Mem
	turnsLeft  operand.Mem // a mask

	// The next fields are used while rows are spread over all lanes: the number of rows to the turn, the number of
	// rows after it, and the distance of the next row's centre from corner 0.
	piece, lastPiece, rowDistance operand.Mem
}

// newVectors assigns memory in the group's state to the lanes.
func (l *loop) newVectors() {
	state, slots := l.Int("state"), 0
	next := func() operand.Mem {
		slots++
		return operand.Mem{Base: state, Disp: l.Bytes() * (slots - 1)}
	}
	for range l.Go("Lanes") / l.N {
		v := &vector{loop: l}
		l.vectors = append(l.vectors, v)
		counters := []*Kept{&v.rows, &v.turn, &v.distance}
		if l.N == AVX512 {
			counters = []*Kept{&v.until, &v.rest, &v.fromY0[0], &v.fromY0[1]}
		}
		for _, k := range append(counters, &v.rowStart) {
			*k = l.Variable(next())
			v.changing = append(v.changing, *k)
		}
		for _, e := range []*edge{&v.left, &v.right, &v.other} {
			for _, k := range e.columns() {
				*k = l.Variable(next())
			}
		}
		for _, k := range append(v.left.columns(), v.right.columns()...) {
			v.changing = append(v.changing, *k)
		}
		if l.N == AVX512 {
			v.active = l.MaskVariable(next())
		}
		for _, m := range []*operand.Mem{&v.gx[0], &v.gx[1], &v.gy[0], &v.gy[1], &v.e0[0], &v.e0[1],
			&v.fromX0, &v.de, &v.payload, &v.turnsLeft, &v.piece, &v.lastPiece, &v.rowDistance} {
			*m = next()
		}
		if l.vectorBytes == 0 {
			l.vectorBytes = slots * l.Bytes()
		}
	}
	for i := range l.scratch {
		l.scratch[i] = next()
	}
	l.plane = next()
	l.columnScratch = next()
	slots += (atBytes - 1) / l.Bytes()
	if words := slots * l.N; words > l.Go("groupWords") {
		panic("the group's state has too few words")
	}
}

// lanes returns the lanes that have rows left.
func (v *vector) lanes() Mask {
	if v.N == AVX512 {
		return v.Mask(v.active)
	}
	return v.GreaterInt(v.Again(v.rows), v.Zero(), nil)
}

// rowsLeft returns the number of rows that each active lane has left, and 0 for other lanes.
func (v *vector) rowsLeft() Vec {
	if v.N == AVX512 {
		return v.AddIntSome(v.Mask(v.active), v.Again(v.until), v.Again(v.rest))
	}
	return v.MaxInt(v.Zero(), v.Use(v.rows))
}

// emit emits the code of lane.emit. It stores the spans of the active lanes' next rows. If these rows cover no pixel,
// it jumps to ifNone.
func (v *vector) emit(active Mask, ifNone string) {
	v.Comment("Spans that cover a pixel.")
	x, count, covers := v.covers(active)
	bits := v.Bits(covers)
	v.TESTL(bits, bits)
	v.JZ(operand.LabelRef(ifNone))

	v.Comment("Nearness at the first pixel.")
	count = v.Into(count).SubInt(count, x)
	from := v.ShiftLeft(x, v.Go("SubBits"))
	from = v.Into(from).AddInt(from, v.fromX0)
	var e Halves
	for h := range e {
		e[h] = v.WideInt(from, h)
		v.Into(e[h]).MulWide(e[h], v.gx[h])
		ey := v.MulWide(v.wideFromY0(h), v.gy[h])
		v.Into(e[h]).AddWide(e[h], v.e0[h])
		v.Into(e[h]).AddWide(e[h], ey)
	}
	nearness := v.NarrowWide(e)
	x = v.Into(x).AddInt(x, v.Use(v.rowStart))

	v.Comment("Store the spans side by side.")
	packing := v.PackingOf(v.numbers, covers, bits)
	for i, column := range []Operand{x, count, nearness, v.de, v.payload} {
		v.Store(v.Pack(packing, column), v.spans(spanColumns[i]))
	}
	v.POPCNTL(bits, bits)
	v.ADDQ(bits.As64(), v.n)
}

// covers returns, for each lane's row, the first pixel and the pixel after the last pixel. It also returns the active
// lanes whose rows cover a pixel.
func (v *vector) covers(active Mask) (x, end Vec, covers Mask) {
	x = v.MaxInt(v.zeros(), v.Use(v.left.x))
	end = v.MinInt(v.either(v.width, "width"), v.Use(v.right.x))
	return x, end, v.GreaterInt(end, x, &active)
}

// wideFromY0 returns the distance of the row's centre from corner 0, for half h of the lanes.
func (v *vector) wideFromY0(h int) Vec {
	if v.N == AVX512 {
		return v.Again(v.fromY0[h])
	}
	return v.WideInt(v.Use(v.distance), h)
}

// zeros returns a vector of zeros.
func (v *vector) zeros() Vec {
	if v.N == AVX512 {
		return v.zero
	}
	return v.Zero()
}

// down moves the edges of the lanes one row down.
func (v *vector) down() {
	v.Comment("One row down.")
	v.step(v.left)
	v.step(v.right)
	if v.N == AVX2 {
		v.Set(v.distance, v.AddInt(v.Broadcast(v.Constant("sub", operand.U32(v.Go("Sub")))), v.Use(v.distance)))
	} else {
		for _, k := range v.fromY0 {
			v.To(k).AddWide(v.rowHeight, v.Use(k))
		}
	}
	v.Set(v.rowStart, v.To(v.rowStart).AddInt(v.either(v.stride, "stride"), v.Use(v.rowStart)))
}

// events counts down the rows to the next events, and returns the lanes that have an event in this row (AVX-512).
func (v *vector) events() Mask {
	until := v.Again(v.until)
	v.Into(until).SubInt(until, v.Constant("one", operand.I32(1)))
	return v.IsZero(until)
}

// event handles the turns and the ends of the given lanes (AVX-512).
func (v *vector) event(lanes Mask) {
	v.Comment("Lanes at their middle corner go on with the lower edge; others end.")
	rest := v.Again(v.rest)
	turn := v.Positive(rest, &lanes)
	ends := v.Without(lanes, turn)
	active := v.Mask(v.active)
	v.IntoMask(active).Without(active, ends)
	v.SetWhere(turn, v.until, rest)
	v.SetWhere(turn, v.rest, v.zero)
	v.turnAt(turn)
}

// eventAVX2 is events and event for AVX2. It jumps to ifNone if no lane turns. A lane that ends needs no handling
// except counting.
func (v *vector) eventAVX2(ifNone string) {
	v.Comment("Lanes at their middle corner go on with the lower edge.")
	less := v.MinusOne()
	v.Set(v.rows, v.AddInt(less, v.Use(v.rows)))
	toTurn := v.AddInt(less, v.Use(v.turn))
	v.Set(v.turn, toTurn)
	turn := v.IsZero(toTurn)
	v.JumpIfNone(turn, ifNone)
	v.turnAt(turn)
}

// turnAt replaces the short side of the given lanes by the lower edge.
func (v *vector) turnAt(lanes Mask) {
	onLeft := v.LoadMask(v.turnsLeft)
	onRight := v.Without(lanes, onLeft)
	v.IntoMask(onLeft).MaskAnd(lanes, onLeft)
	for c, other := range v.other.columns() {
		v.SetWhere(onLeft, *v.left.columns()[c], other.Home())
	}
	for c, other := range v.other.columns() {
		v.SetWhere(onRight, *v.right.columns()[c], other.Home())
	}
}

// step emits the code of edge.step.
func (v *vector) step(e edge) {
	x, r := v.Again(e.x), v.Again(e.r)
	v.Into(x).AddInt(x, v.Use(e.dx))
	v.Into(r).AddInt(r, v.Use(e.dr))
	d := v.Again(e.d)
	over := v.AtLeastUnsigned(r, d)
	v.SubWhere(over, r, d)
	v.AddOneWhere(over, x)
	v.Set(e.x, x)
	v.Set(e.r, r)
}
