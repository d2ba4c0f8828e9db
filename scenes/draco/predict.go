package draco

// Prediction schemes: an entry is stored as the difference from a prediction by earlier entries.
const (
	noPrediction          = -2
	predictBefore         = 0 // the prediction is the entry before
	predictParallelogram  = 1
	predictParallelograms = 4 // the prediction is the mean of several parallelograms
	predictTexCoords      = 5
	predictNormals        = 6
)

// Prediction transforms: the way in which a difference is added to a prediction.
const (
	wrapTransform      = 1
	oldSphereTransform = 2 // octahedral coordinates with octahedron.turned = false
	sphereTransform    = 3
)

// A prediction decodes the values of an attribute, which are stored as differences from predictions.
type prediction struct {
	*decoder
	*values
	scheme, transform int8
	wrap              wrap
	sphere            octahedron
}

// check records an error if the scheme or the transform is unknown or does not fit the attribute.
func (p *prediction) check() {
	switch {
	case p.err != nil || p.scheme == noPrediction:
	case p.scheme == 2 || p.scheme == 3:
		p.failUnread("Draco's old prediction %d of attribute %d", p.scheme, p.ID)
	case p.scheme < 0 || p.scheme > predictNormals:
		p.fail("unknown prediction %d", p.scheme)
	case p.scheme == predictNormals && p.coding != octahedralValues:
		p.fail("attribute %d is predicted as normals, and is none", p.ID)
	case p.transform != wrapTransform && p.coding != octahedralValues,
		p.coding == octahedralValues && p.transform != sphereTransform && p.transform != oldSphereTransform:
		p.fail("the transform %d of attribute %d", p.transform, p.ID)
	}
}

// restore reads the parameters of the scheme, and replaces all differences by values.
func (p *prediction) restore() {
	scheme := p.scheme
	// Without triangles, the only possible prediction is the entry before. Octahedral coordinates form no
	// parallelograms.
	if p.surface == nil || p.coding == octahedralValues && scheme != predictNormals {
		scheme = predictBefore
	}
	switch scheme {
	case predictParallelograms:
		creases := p.readCreases()
		p.readTransform()
		p.restoreByParallelograms(creases)
	case predictTexCoords:
		sides := p.readSides()
		p.readTransform()
		p.restoreTexCoords(sides)
	case predictNormals:
		p.readTransform()
		if p.version < version22 {
			if area := p.u8(); area != 1 && p.err == nil {
				p.failUnread("Draco's old prediction of normals by one triangle")
			}
		}
		p.restoreNormals(p.readFlags())
	case predictParallelogram:
		p.readTransform()
		p.restoreByParallelogram()
	default:
		p.readTransform()
		p.restoreByPrevious()
	}
}

// readTransform reads the parameters of the transform.
func (p *prediction) readTransform() {
	if p.transform == wrapTransform {
		p.wrap.lo, p.wrap.hi = int32(p.u32()), int32(p.u32())
		if p.wrap.span = p.wrap.hi - p.wrap.lo + 1; p.err == nil && (p.wrap.lo > p.wrap.hi || p.wrap.span <= 0) {
			p.fail("values from %d to %d", p.wrap.lo, p.wrap.hi)
		}
		return
	}
	largest := p.u32()
	if p.transform == sphereTransform || p.version < version22 {
		p.u32() // skips the middle value, which follows from the largest one
	}
	if p.err == nil && (largest < 3 || largest >= 1<<30) {
		p.fail("octahedral coordinates up to %d", largest)
		return
	}
	p.sphere = newOctahedron(largest, p.transform == sphereTransform)
}

// A wrap keeps values between lo and hi by adding or subtracting span.
type wrap struct{ lo, hi, span int32 }

// restore returns the value for a prediction and a difference.
func (w *wrap) restore(predicted, difference int32) int32 {
	v := min(max(predicted, w.lo), w.hi) + difference
	if v > w.hi {
		return v - w.span
	}
	if v < w.lo {
		return v + w.span
	}
	return v
}

// restoreAt replaces the differences of an entry by values.
func (p *prediction) restoreAt(entry int, predicted []int32) {
	to := p.ints[entry*p.width:][:p.width]
	if p.transform != wrapTransform {
		to[0], to[1] = p.sphere.restore(predicted[0], predicted[1], to[0], to[1])
		return
	}
	for c := range to {
		to[c] = p.wrap.restore(predicted[c], to[c])
	}
}

// restoreFirst restores the first entry, whose prediction is 0. It returns false if there is no entry, or after an
// error.
func (p *prediction) restoreFirst() bool {
	if p.err != nil || p.n == 0 {
		return false
	}
	p.restoreAt(0, make([]int32, p.width))
	return true
}

// restoreByPrevious replaces all differences by values. It predicts each entry by the entry before it.
func (p *prediction) restoreByPrevious() {
	if !p.restoreFirst() {
		return
	}
	for i := 1; i < p.n; i++ {
		p.restoreAt(i, p.ints[(i-1)*p.width:])
	}
}

// extrapolate predicts the entry at a corner from the triangle on the other side of the edge opposite to the corner.
// The prediction is the fourth corner of a parallelogram, and is written to `to`. The result is false if there is no
// such triangle, or if its values are not decoded yet.
func (p *prediction) extrapolate(entry int, corner int32, to []int32) bool {
	c := p.across(corner)
	if c < 0 {
		return false
	}
	o, n, b := int(p.entries[c]), int(p.entries[next(c)]), int(p.entries[previous(c)])
	if o >= entry || n >= entry || b >= entry {
		return false
	}
	w := p.width
	over, one, two := p.ints[o*w:][:w], p.ints[n*w:][:w], p.ints[b*w:][:w]
	to = to[:w]
	for i := range to {
		to[i] = one[i] + two[i] - over[i]
	}
	return true
}

// restoreByParallelogram replaces all differences by values. It predicts each entry by one parallelogram, or by the
// entry before if there is no parallelogram.
func (p *prediction) restoreByParallelogram() {
	if !p.restoreFirst() {
		return
	}
	predicted := make([]int32, p.width)
	for i := 1; i < p.n; i++ {
		if p.extrapolate(i, p.order[i], predicted) {
			p.restoreAt(i, predicted)
		} else {
			p.restoreAt(i, p.ints[(i-1)*p.width:])
		}
	}
}

// maxParallelograms is the greatest number of parallelograms that predict an entry.
const maxParallelograms = 4

// readCreases reads the flags that exclude parallelograms from predictions. creases[n-1] holds the flags for entries
// that have n parallelograms.
func (p *prediction) readCreases() (creases [maxParallelograms][]bool) {
	if p.version < version22 {
		if mode := p.u8(); mode != 0 && p.err == nil {
			p.failUnread("Draco's old choice %d of parallelograms", mode)
		}
	}
	for i := range creases {
		n := p.versionedUint(version20)
		if n == 0 {
			continue
		}
		if n > 3*uint64(p.faces) {
			p.fail("%d flags of parallelograms", n)
		}
		all := p.readFlags()
		if !p.reserveMemory(int64(n)) || !p.spendWork(int64(n)) {
			return
		}
		creases[i] = make([]bool, n)
		for k := range creases[i] {
			creases[i][k] = all.next()
		}
	}
	return creases
}

// restoreByParallelograms replaces all differences by values. It predicts each entry by the mean of the parallelograms
// around its vertex, except those that `creases` excludes.
func (p *prediction) restoreByParallelograms(creases [maxParallelograms][]bool) {
	if !p.restoreFirst() {
		return
	}
	w := p.width
	all, sum := make([]int32, maxParallelograms*w), make([]int32, w)
	for i := 1; i < p.n; i++ {
		n := p.neighborPredictions(i, all)
		used := int32(0)
		clear(sum)
		for k := range n {
			flags := &creases[n-1]
			if len(*flags) == 0 {
				p.fail("too few flags of %d parallelograms", n)
				return
			}
			crease := (*flags)[0]
			*flags = (*flags)[1:]
			if crease {
				continue
			}
			used++
			for c := range sum {
				sum[c] += all[k*w+c]
			}
		}
		if used == 0 {
			p.restoreAt(i, p.ints[(i-1)*w:])
			continue
		}
		for c := range sum {
			sum[c] /= used
		}
		p.restoreAt(i, sum)
	}
}

// neighborPredictions writes the predictions of all parallelograms around the vertex of an entry to `to`, and returns
// their number. It starts with the parallelograms to the left of the entry's corner.
func (p *prediction) neighborPredictions(entry int, to []int32) (n int) {
	start := p.order[entry]
	left := true
	for c := start; c >= 0; {
		if p.extrapolate(entry, c, to[n*p.width:]) {
			if n++; n == maxParallelograms {
				return n
			}
		}
		if left {
			c = p.swingLeft(c)
		} else {
			c = p.swingRight(c)
		}
		if c == start {
			return n
		}
		if c < 0 && left {
			left = false
			c = p.swingRight(start)
		}
	}
	return n
}

// decodedPositions returns the positions, which serve to predict other attributes. It records an error if they are not
// decoded yet.
func (p *prediction) decodedPositions() *values {
	for _, g := range p.groups {
		for _, v := range g.values {
			if v == p.values {
				break
			}
			if v.Type == Position {
				if v.width == 3 && len(v.ints) == 3*v.n && v.entries != nil {
					return v
				}
				p.fail("attribute %d is predicted from positions that are not three integers each", p.ID)
				return nil
			}
		}
	}
	p.fail("attribute %d is predicted from positions, but no positions precede it", p.ID)
	return nil
}

func (v *values) at(corner int32) [3]int64 {
	q := v.ints[3*int(v.entries[corner]):][:3]
	return [3]int64{int64(q[0]), int64(q[1]), int64(q[2])}
}
