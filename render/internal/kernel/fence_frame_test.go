package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/shape"
	"lockstep/vp/isa"
)

// fenced returns a slice of n elements that ends where memory must not be accessed.
func fenced[T any](t *testing.T, n int) []T {
	return atFence[T](newFence(t, n*int(unsafe.Sizeof(*new(T)))), n)
}

// TestFrameLoopsStayInside calls the loops of lit frames with arrays that end where memory must not be accessed. Their
// lengths are near multiples of the length of a vector.
func TestFrameLoopsStayInside(t *testing.T) {
	for _, level := range isa.Available() {
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, light.Capacity - 1, light.Capacity} {
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
	whole := n &^ (occlude.Lanes - 1) // the loops leave out the other cells
	nearness, triangles, places := fenced[float32](t, whole), fenced[uint32](t, whole), fenced[uint32](t, whole)
	loops.Nearest(fenced[uint64](t, 4*n), fenced[uint64](t, 4*n), 0, 1, nearness, triangles, places)
	openCells(t, loops, n)
}

// openCells checks IsOpen for n pixels whose cells end where memory must not be accessed.
func openCells(t *testing.T, loops *occlude.Loops, n int) {
	n = min(n, occlude.Pixels)
	seen := (n/2 + 2 + occlude.Lanes - 1) &^ (occlude.Lanes - 1)
	g := &occlude.Grid{Stride: 100, First: 101, Open: fenced[float32](t, 100+seen)}
	for i := range g.Open {
		g.Open[i] = 1
	}
	if !loops.IsOpen(g, n, 0, 0) {
		t.Errorf("%d pixels under open cells are not open", n)
	}
	g.Open = g.Open[: len(g.Open)-1 : len(g.Open)-1]
	defer func() {
		if recover() == nil {
			t.Errorf("%d pixels: no panic where a cell is missing", n)
		}
	}()
	loops.IsOpen(g, n, 0, 0)
}

// The function points computes the light of points on every triangle of a mesh, including the first and the last. Some
// pixels have one point, and some have as many as a pixel can have.
func points(t *testing.T, level isa.Level, n int) {
	loops := light.Select(level)
	if loops == nil {
		return
	}
	m := &light.Triangles{Records: fenced[light.Record](t, n), Scale: 1}
	p := light.Points{Triangles: fenced[uint32](t, n), Places: fenced[uint32](t, n)}
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for _, ofPixel := range []int{1, 16} {
		for i := range p.Triangles {
			p.Triangles[i] = uint32(n - 1 - i/(1+random.IntN(2)))
			p.Places[i] = uint32(i / ofPixel)
		}
		b := &fenced[light.Batch](t, 1)[0]
		to := [3][]float32{}
		for axis := range to {
			to[axis] = fenced[float32](t, (n+15)&^15)
		}
		wide := (n + ofPixel - 1) / ofPixel
		pixels := &light.Pixels{Grid: 1, Encode: &fenced[[light.Steps]uint8](t, 1)[0]}
		loops.Normals(m, new(light.View), pixels, p, b, &to)
		sky := fenced[float32](t, wide+light.SkyMargin)
		for _, beside := range []bool{true, false} {
			loops.Aim(m, new(light.View), pixels, p, sky, b, beside)
			loops.Shine(new(light.View), b)
		}
		runs := &fenced[light.Runs](t, 1)[0]
		loops.Seek(m, p, runs)
		ahead := p
		ahead.Runs = runs
		loops.Light(m, new(light.View), pixels, ahead, sky, b)
		loops.Light(m, new(light.View), pixels, p, sky, b)
		loops.Blend(pixels, b, fenced[byte](t, 4*wide))
	}
}

func keptSpans(t *testing.T, level isa.Level, n int) {
	loops := keep.Select(level)
	whole := (n + array.Lanes - 1) &^ (array.Lanes - 1)
	spans := &array.Spans{
		N: n, Start: fenced[uint32](t, n), Count: fenced[int32](t, n), Payload: fenced[uint32](t, n),
		E: fenced[float32](t, n), DE: fenced[float32](t, n),
	}
	for i := range n {
		spans.Start[i], spans.Count[i] = uint32(i%2*64), int32(64-i%3) // in two tile rows
	}
	const chunks = 5
	b := &keep.Rows{
		Keys: 64, Records: fenced[keep.Record](t, chunks*keep.ChunkSpans), Used: 1,
		Next: fenced[uint32](t, 2), Previous: fenced[uint32](t, chunks),
	}
	loops.Keep(b, spans)
	records := fenced[keep.Record](t, whole)
	copy(records, b.Records[keep.ChunkSpans:])
	kept := int(b.Next[0]) - keep.ChunkSpans
	loops.Merge(fenced[uint64](t, 64), records, kept, array.MakeSpans(keep.ChunkSpans))
}

// TestNormalsWantWholeVectors checks that Normals panics if one of its results has no space for a whole vector.
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

// TestPointsWantSkies checks that lighting panics if the sky of a pixel is missing. It also lights more points than a
// batch holds, and no points.
func TestPointsWantSkies(t *testing.T) {
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		const n = 5
		m, pixels := &light.Triangles{Records: make([]light.Record, 1), Scale: 1}, &light.Pixels{Grid: 1, Encode: new([light.Steps]uint8)}
		b, v := new(light.Batch), new(light.View)
		for name, lit := range map[string]func(p light.Points, sky []float32){
			"light": func(p light.Points, sky []float32) { loops.Light(m, v, pixels, p, sky, b) },
			"aim":   func(p light.Points, sky []float32) { loops.Aim(m, v, pixels, p, sky, b, true) },
		} {
			p := light.Points{Triangles: make([]uint32, n), Places: []uint32{0, 0, 3, 3, n - 1}}
			lit(p, make([]float32, n+light.SkyMargin))
			panics := func() (panics bool) {
				defer func() { panics = recover() != nil }()
				lit(p, make([]float32, n+light.SkyMargin-1))
				return
			}
			if !panics() {
				t.Errorf("%s, %s: no panic where a sky is missing", level, name)
			}
			many := light.Points{Triangles: make([]uint32, 2*light.Capacity), Places: make([]uint32, 2*light.Capacity)}
			if lit(many, make([]float32, n+light.SkyMargin)); b.N != light.Capacity {
				t.Errorf("%s, %s: %d points of too many", level, name, b.N)
			}
			if lit(light.Points{}, nil); b.N != 0 {
				t.Errorf("%s, %s: %d points of none", level, name, b.N)
			}
			b.Columns[light.Color][0] = -1
			loops.Shine(v, b)
			loops.Blend(pixels, b, nil)
			if b.Columns[light.Color][0] != -1 {
				t.Errorf("%s, %s: a point of none has a colour", level, name)
			}
		}
	}
}

// TestRunsOfPoints checks that loops panic if there are more points than a batch holds, or if the runs belong to other
// points.
func TestRunsOfPoints(t *testing.T) {
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		m, b, runs := &light.Triangles{Records: make([]light.Record, 1)}, new(light.Batch), new(light.Runs)
		points := func(n int) light.Points {
			return light.Points{Triangles: make([]uint32, n), Places: make([]uint32, n), Runs: runs}
		}
		lit := func(n int) {
			loops.Light(m, new(light.View), new(light.Pixels), points(n), make([]float32, 1+light.SkyMargin), b)
		}
		loops.Seek(m, points(0), runs)
		loops.Seek(m, points(light.Capacity), runs)
		lit(light.Capacity)
		for name, do := range map[string]func(){
			"more points than a batch holds": func() { loops.Seek(m, points(light.Capacity+1), new(light.Runs)) },
			"runs of other points":           func() { lit(light.Capacity - 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic for %s", level, name)
					}
				}()
				do()
			}()
		}
	}
}
