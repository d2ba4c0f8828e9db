package stl

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/extent"
	"lockstep/scenes/stl/internal/kernel"
)

// A tally is the result of one pass over records. Tallies of parts of a file can be combined in any order.
type tally struct {
	extent.Extent
	colors   colorTally
	bad      int // number of triangles with a NaN or infinite coordinate
	large    int // of these, triangles that are finite in float64
	firstBad int // lowest index of a bad triangle; meaningless if bad is 0
}

func newTally() tally { return tally{Extent: extent.Empty()} }

// addRecords adds the records in raw to the tally. first is the index of their first triangle in the file.
func (a *tally) addRecords(k *kernel.Set, raw []byte, first int) {
	s := k.Summarize(raw)
	a.join(&tally{
		Extent: extent.Extent{Lo: s.Lo, Hi: s.Hi},
		colors: colorTally{
			marked:    s.MarkedOr != 0,
			markedAnd: s.MarkedAnd,
			markedOr:  s.MarkedOr,
			plain:     s.Plain != 0,
			zero:      hasZeroAttribute(raw, s.Attributes),
		},
		bad:      s.Bad,
		firstBad: first + s.FirstBad,
	})
}

// hasZeroAttribute reports whether a record has the attribute 0. If the other attributes are not all equal,
// chooseColors does not need the answer, and hasZeroAttribute returns false without a search.
func hasZeroAttribute(raw []byte, a kernel.Attributes) bool {
	if a.Plain != 0 || a.MarkedOr != 0 && a.MarkedAnd != a.MarkedOr {
		return false
	}
	if a.MarkedOr == 0 {
		return len(raw) >= recordSize
	}
	for ; len(raw) >= recordSize; raw = raw[recordSize:] {
		if raw[attributeAt]|raw[attributeAt+1] == 0 {
			return true
		}
	}
	return false
}

func (a *tally) addBad(t int) {
	if a.bad == 0 || t < a.firstBad {
		a.firstBad = t
	}
	a.bad++
}

// join adds the tally of another part of the file.
func (a *tally) join(o *tally) {
	a.Extent.Join(&o.Extent)
	a.colors.join(o.colors)
	if o.bad > 0 && (a.bad == 0 || o.firstBad < a.firstBad) {
		a.firstBad = o.firstBad
	}
	a.bad += o.bad
	a.large += o.large
}

func (a *tally) box() scenes.Box { return scenes.BoxOf(a.Lo, a.Hi) }

// report returns the report on a binary STL file.
func (a *tally) report(triangles int, size int64, lines []string) *scenes.Report {
	return &scenes.Report{
		Format: FormatBinary, Bytes: size,
		Triangles: triangles, BadTriangles: a.bad, Bounds: a.box(),
		Warnings: lines,
	}
}
