package scenes

import (
	"encoding/binary"
	"math"

	"lockstep/scenes/internal/stlkernel"
)

// A binary STL file is a header of 80 free bytes, the number of triangles as
// a uint32, and one record a triangle: normal, three vertices (float32 each)
// and 16 bits of attributes, all little-endian.
const (
	stlCommentSize = 80
	stlHeaderSize  = 84
	stlRecordSize  = stlkernel.RecordSize
	stlVertices    = stlkernel.Vertices
	stlAttribute   = stlkernel.Attribute
)

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// decodeRecords writes the vertices of the records in raw over the triangles
// of dst from lo on.
func decodeRecords(k *stlkernel.Set, dst *Block, lo int, raw []byte) {
	hi := lo + len(raw)/stlRecordSize
	k.Decode(stlkernel.Columns{
		dst.X[0][lo:hi], dst.Y[0][lo:hi], dst.Z[0][lo:hi],
		dst.X[1][lo:hi], dst.Y[1][lo:hi], dst.Z[1][lo:hi],
		dst.X[2][lo:hi], dst.Y[2][lo:hi], dst.Z[2][lo:hi],
	}, raw)
}

// stlTally is what one pass over records finds out. Tallies of parts of a
// file join in any order.
type stlTally struct {
	extent
	colors   colorTally
	bad      int // triangles with a NaN or infinite coordinate
	large    int // those of bad whose coordinates are finite, but not in float32
	firstBad int // lowest index of such a triangle; meaningless if bad is 0
}

func newTally() stlTally { return stlTally{extent: emptyExtent()} }

// scan adds the records in raw, whose first is triangle first of the file.
func (a *stlTally) scan(k *stlkernel.Set, raw []byte, first int) {
	s := k.Summarize(raw)
	a.join(&stlTally{
		extent: extent{lo: s.Lo, hi: s.Hi},
		colors: colorTally{
			marked:    s.MarkedOr != 0,
			markedAnd: s.MarkedAnd,
			markedOr:  s.MarkedOr,
			plain:     s.Plain != 0,
		},
		bad:      s.Bad,
		firstBad: first + s.FirstBad,
	})
}

func (a *stlTally) addBad(t int) {
	if a.bad == 0 || t < a.firstBad {
		a.firstBad = t
	}
	a.bad++
}

// join adds what o found.
func (a *stlTally) join(o *stlTally) {
	for c := range 3 {
		a.lo[c] = min(a.lo[c], o.lo[c])
		a.hi[c] = max(a.hi[c], o.hi[c])
	}
	a.colors.join(o.colors)
	if o.bad > 0 && (a.bad == 0 || o.firstBad < a.firstBad) {
		a.firstBad = o.firstBad
	}
	a.bad += o.bad
	a.large += o.large
}
