package kernel

import (
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/shape"
	"lockstep/vp/isa"
)

// fenced returns a slice of n elements that ends where memory must not be touched.
func fenced[T any](t *testing.T, n int) []T { return atFence[T](newFence(t, 64*n), n) }

// TestFrameLoopsStayInside gives the loops of lit frames arrays that end where memory must not be
// touched, of numbers about whole vectors.
func TestFrameLoopsStayInside(t *testing.T) {
	for _, level := range isa.Available() {
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, light.Capacity} {
			shapes(t, level, n)
			cells(t, level, n)
			points(t, level, n)
			keptSpans(t, level, n)
		}
	}
}

func shapes(t *testing.T, level isa.Level, n int) {
	loop := shape.Select(level)
	if loop == nil {
		return
	}
	var corners [3][3][]float32
	for axis := range corners {
		for k := range corners[axis] {
			corners[axis][k] = fenced[float32](t, n)
		}
	}
	if done := loop(&corners[0], &corners[1], &corners[2], 0, n, 1, new(shape.Batch)); done > n || n-done >= array.Lanes {
		t.Errorf("%s: shapes of %d of %d triangles", level, done, n)
	}
}

func cells(t *testing.T, level isa.Level, n int) {
	loops := occlude.Select(level)
	if loops == nil {
		return
	}
	whole := n &^ (occlude.Lanes - 1) // others are left out
	nearness, triangles, places := fenced[float32](t, whole), fenced[uint32](t, whole), fenced[uint32](t, whole)
	loops.Nearest(fenced[uint64](t, 4*n), fenced[uint64](t, 4*n), 0, 1, nearness, triangles, places)
}

// points lights points of all records of a mesh, the last and the first among them.
func points(t *testing.T, level isa.Level, n int) {
	loops := light.Select(level)
	if loops == nil {
		return
	}
	m := &light.Triangles{Records: fenced[light.Record](t, n), Scale: 1}
	p := light.Points{Triangles: fenced[uint32](t, n), Places: fenced[uint32](t, n)}
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range p.Triangles {
		p.Triangles[i] = uint32(n - 1 - i/(1+random.IntN(2)))
		p.Places[i] = uint32(i)
	}
	var b light.Batch
	to := [3][]float32{}
	for axis := range to {
		to[axis] = fenced[float32](t, (n+15)&^15)
	}
	pixels := &light.Pixels{Grid: 1, Encode: new([light.Steps]uint8)}
	loops.Normals(m, new(light.View), pixels, p, &b, &to)
	loops.Light(m, new(light.View), pixels, p, fenced[float32](t, n+light.SkyMargin), &b)
	loops.Blend(pixels, &b, fenced[byte](t, 4*n))
}

func keptSpans(t *testing.T, level isa.Level, n int) {
	loops := keep.Select(level)
	whole := (n + array.Lanes - 1) &^ (array.Lanes - 1)
	spans := &array.Spans{
		N: n, Start: fenced[uint32](t, n), Count: fenced[int32](t, n), Payload: fenced[uint32](t, n),
		E: fenced[float32](t, n), DE: fenced[float32](t, n),
	}
	for i := range n {
		spans.Start[i], spans.Count[i] = uint32(i%2*64), int32(64-i%3) // of two bands
	}
	const chunks = 5
	b := &keep.Bands{
		Keys: 64, Records: fenced[keep.Record](t, chunks*keep.ChunkSpans), Used: 1,
		Next: fenced[uint32](t, 2), Before: fenced[uint32](t, chunks),
	}
	loops.Keep(b, spans)
	records := fenced[keep.Record](t, whole)
	copy(records, b.Records[keep.ChunkSpans:])
	kept := int(b.Next[0]) - keep.ChunkSpans
	loops.Merge(fenced[uint64](t, 64), records, kept, array.MakeSpans(keep.ChunkSpans))
}

// TestNormalsWantWholeVectors finds normals where there is no room for a whole vector.
func TestNormalsWantWholeVectors(t *testing.T) {
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		for axis := range 3 {
			to := [3][]float32{make([]float32, 16), make([]float32, 16), make([]float32, 16)}
			to[axis] = to[axis][:15:15]
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic along axis %d", level, axis)
					}
				}()
				loops.Normals(&light.Triangles{Records: make([]light.Record, 1)}, new(light.View), new(light.Pixels),
					light.Points{Triangles: make([]uint32, 15), Places: make([]uint32, 15)}, new(light.Batch), &to)
			}()
		}
	}
}
