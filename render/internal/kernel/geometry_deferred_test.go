package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// A guardedSpans is a span array with guards around every column.
type guardedSpans struct {
	*array.Spans
	columns []interface{ check() error }
}

func newGuardedSpans(capacity, offset int) *guardedSpans {
	start, payload := newGuarded[uint32](capacity, offset, array.Lanes), newGuarded[uint32](capacity, offset, array.Lanes)
	count := newGuarded[int32](capacity, offset, array.Lanes)
	e, de := newGuarded[float32](capacity, offset, array.Lanes), newGuarded[float32](capacity, offset, array.Lanes)
	return &guardedSpans{
		&array.Spans{Start: start.slice, Count: count.slice, E: e.slice, DE: de.slice, Payload: payload.slice},
		[]interface{ check() error }{start, count, e, de, payload},
	}
}

func (g *guardedSpans) check() error {
	for i, c := range g.columns {
		if err := c.check(); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// A box holds the columns Start and Count, the bits of E and DE, and the column Payload of a deferred box.
type box [5]uint32

// sameBoxes compares the boxes from index `from` on.
func sameBoxes(got, want *array.Spans, from int) error {
	if got, want := sortedBoxes(got, from), sortedBoxes(want, from); !slices.Equal(got, want) {
		return fmt.Errorf("boxes %v, want %v", got, want)
	}
	return nil
}

// sortedBoxes returns the boxes from index `from` on, in sorted order. A vector loop writes the boxes of several
// polygons tile row by tile row, so its order differs from that of the specification.
func sortedBoxes(s *array.Spans, from int) (all []box) {
	for i := from; i < s.N; i++ {
		all = append(all, box{s.Start[i], uint32(s.Count[i]), math.Float32bits(s.E[i]), math.Float32bits(s.DE[i]), s.Payload[i]})
	}
	slices.SortFunc(all, func(a, b box) int { return slices.Compare(a[:], b[:]) })
	return all
}

// TestTwinsDefer checks that the blocks of these tests have deferred faces, some of them in several tile rows.
func TestTwinsDefer(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 29))
	polygons, boxes := 0, 0
	for range 100 {
		b := scenes.MakeBlock(70)
		fillTriangles(r, &b, 20)
		out := array.MakePolygons(70)
		out.Deferred = &array.Deferred{Boxes: array.MakeSpans(280), Stride: 2500, MaxRows: 4}
		var counts geometry.Counts
		geometry.Project(randomView(r), &b, out, make([]int32, 70), &counts)
		polygons += int(counts.Drawn) - out.N
		boxes += out.Deferred.Boxes.N
	}
	if polygons < 300 || boxes < polygons*5/4 {
		t.Errorf("%d polygons deferred in %d boxes: too few", polygons, boxes)
	}
}
