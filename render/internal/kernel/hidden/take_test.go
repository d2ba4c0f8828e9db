package hidden

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// A scene is a grid with the keys from which it was made.
type scene struct {
	grid                Grid
	width, stride, rows int // width and stride in samples; number of tile rows
	keys                []uint64
}

// someScene returns a scene whose keys are nearer than 0.5, except for some that are not covered.
func someScene(random *rand.Rand, loops *Loops, rows int, open float64) *scene {
	s := &scene{width: Step * (1 + random.IntN(5)), rows: rows}
	s.stride = s.width + 8
	s.grid.Begin(7*Step, rows) // the size of an earlier frame
	s.grid.Begin(s.width, rows)
	for ty := range rows {
		keys := rowOf(random, s.width, s.stride, open)
		table := s.grid.Row(ty)
		table.Begin(s.width)
		table.Add(loops, 0, s.width, keys, s.stride)
		table.End(loops)
		s.keys = append(s.keys, keys...)
	}
	return s
}

// somePolygon appends a polygon in a scene or partly outside it. Inside the scene, it covers at least one column and
// one row.
func (s *scene) somePolygon(random *rand.Rand, p *array.Polygons, source int) {
	for {
		wide, high := int32(1)<<(5+random.IntN(12)), int32(1)<<(5+random.IntN(12))
		x := random.Int32N(int32(s.width)*array.Sub+2000) - 1000
		y := random.Int32N(int32(s.rows)*array.TileRows*array.Sub+2000) - 1000
		var v [3]array.Vertex
		for k := range v {
			v[k] = array.Vertex{X: x + random.Int32N(wide), Y: y + random.Int32N(high), E: random.Float32()}
		}
		x0, x1 := min(v[0].X, v[1].X, v[2].X), max(v[0].X, v[1].X, v[2].X)
		y0, y1 := min(v[0].Y, v[1].Y, v[2].Y), max(v[0].Y, v[1].Y, v[2].Y)
		box := array.Box{
			X0: max(array.FirstCenter(x0), 0), X1: min(array.FirstCenter(x1), int32(s.width)),
			Y0: max(array.FirstCenter(y0), 0), Y1: min(array.FirstCenter(y1), int32(s.rows*array.TileRows)),
		}
		if box.X0 >= box.X1 || box.Y0 >= box.Y1 {
			continue
		}
		// The nearness of the corners is about that of the farthest sample, or exactly equal to it.
		least := float32(math.Inf(1))
		s.each(box, func(near float32) { least = min(least, near) })
		if least > 0 {
			near := []float32{least * random.Float32(), least / takeFactor, math.Nextafter32(least/takeFactor, 0), least, 0}[random.IntN(5)]
			for k := range v {
				v[k].E = near * (1 - random.Float32()*float32(k)/8)
			}
			i := random.IntN(3)
			v[0], v[i] = v[i], v[0]
		}
		p.Push(v[0], v[1], v[2], box, random.Float32(), source)
		return
	}
}

// The method each calls the function do with the nearness of each sample of the cells that a box meets.
func (s *scene) each(b array.Box, do func(near float32)) {
	const w, h = CellWidth, CellHeight
	for y := b.Y0 / h * h; y < (b.Y1+h-1)/h*h; y++ {
		for x := b.X0 / w * w; x < (b.X1+w-1)/w*w; x++ {
			do(array.Nearness(s.keys[int(y)*s.stride+int(x)]))
		}
	}
}

// hides reports whether polygon i may be taken and is hidden behind all samples of its cells. bound is the bound of its
// nearness.
func (s *scene) hides(p *array.Polygons, i int, mostRows int32) (box array.Box, bound float32, hidden bool) {
	x0, x1 := min(p.X[0][i], p.X[1][i], p.X[2][i]), max(p.X[0][i], p.X[1][i], p.X[2][i])
	y0, y1 := min(p.Y[0][i], p.Y[1][i], p.Y[2][i]), max(p.Y[0][i], p.Y[1][i], p.Y[2][i])
	box = array.Box{
		X0: max(array.FirstCenter(x0), 0), X1: min(array.FirstCenter(x1), int32(s.width)),
		Y0: p.First[i], Y1: p.First[i] + p.Rows[i],
	}
	bound = max(max(p.E[0][i], p.E[1][i], p.E[2][i])*(1+1.0/65536), 0x1p-125)
	rows, columns := (box.Y1-1)/16-box.Y0/16+1, (box.X1-1)/8-box.X0/8+1
	hidden = x1-x0 < 128*array.Sub && y1-y0 < 128*array.Sub && rows <= mostRows && columns < 16
	s.each(box, func(near float32) { hidden = hidden && bound < near })
	return box, bound, hidden
}

// TestTake tests polygons of all sizes with the loops of every instruction set. Some polygons are exactly as near as
// the samples that hide them. A polygon behind all samples of its cells must be taken and get a box. The remaining
// polygons must stay in order.
func TestTake(t *testing.T) {
	for _, level := range isa.Available() {
		random, taken, all := rand.New(rand.NewPCG(11, 12)), 0, 0
		loops := Select(level)
		for round := range 300 {
			s := someScene(random, loops, 1+random.IntN(12), []float64{0, 0, 0.0005}[round%3])
			n := random.IntN(100)
			p := array.MakePolygons(n + 3)
			for i := range n {
				s.somePolygon(random, p, random.IntN(1000)+i)
			}
			of := Taking{
				Grid: &s.grid, Boxes: array.MakeSpans(8*n + 1), First: uint32(random.IntN(1 << 20)),
				Stride: int32(s.stride), Width: int32(s.width), MaxRows: 1 + random.Int32N(8),
			}
			taken += checkTake(t, loops, s, p, of, random)
			all += n
			if t.Failed() {
				t.Fatalf("%s, round %d", level, round)
			}
		}
		t.Logf("%s: %d of %d polygons were taken", level, taken, all)
		if taken < all/10 || taken > all/2 {
			t.Errorf("%d of %d polygons were taken", taken, all)
		}
	}
}

// A polygon holds the values that an array of polygons stores for one polygon.
type polygon struct {
	v           [3]array.Vertex
	first, rows int32
	source      int32
	payload     uint32
}

func polygonOf(p *array.Polygons, i int) polygon {
	return polygon{
		v: [3]array.Vertex{p.Corner(0, i), p.Corner(1, i), p.Corner(2, i)}, first: p.First[i], rows: p.Rows[i],
		source: p.Source[i], payload: p.Payload[i],
	}
}

type box struct {
	start         uint32
	count         int32
	bound         float32
	place, number uint32
}

// checkTake compares the polygons that a loop takes out of p with the expected polygons, and returns their number.
func checkTake(t *testing.T, loops *Loops, s *scene, p *array.Polygons, of Taking, random *rand.Rand) (taken int) {
	t.Helper()
	var left []polygon
	var want, got []box
	rows, samples := int64(5), int64(7)
	of.Rows, of.Samples = rows, samples
	for i := range p.N {
		at, bound, hidden := s.hides(p, i, of.MaxRows)
		if !hidden {
			left = append(left, polygonOf(p, i))
			continue
		}
		taken++
		rows, samples = rows+int64(p.Rows[i]), samples+int64(p.Rows[i])*int64(at.X1-at.X0)
		for y := at.Y0; y < at.Y1; {
			next := min(y/16*16+16, at.Y1)
			want = append(want, box{
				uint32(y)*uint32(s.stride) + uint32(at.X0), at.X1 - at.X0, bound, array.Place(at.X0, y%16, next-y), of.First + uint32(p.Source[i]),
			})
			y = next
		}
	}
	kept, from := 0, 0
	for from < p.N { // in parts of whole vectors
		to := min(p.N, (from+1+random.IntN(60)+array.Lanes-1)/array.Lanes*array.Lanes)
		kept = loops.Take(&of, p, from, to, kept)
		from = to
	}
	if kept != len(left) {
		t.Fatalf("%d polygons are left, want %d", kept, len(left))
	}
	for i, w := range left {
		if g := polygonOf(p, i); g != w {
			t.Fatalf("polygon %d of %d is %+v, want %+v", i, kept, g, w)
		}
	}
	for i := range of.Boxes.N {
		b := of.Boxes
		got = append(got, box{b.Start[i], b.Count[i], b.E[i], math.Float32bits(b.DE[i]), b.Payload[i]})
	}
	order := func(a, b box) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.start, b.start), cmp.Compare(a.place, b.place), cmp.Compare(a.count, b.count), cmp.Compare(a.bound, b.bound))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(got, want) {
		t.Fatalf("boxes\n%v\nwant\n%v", got, want)
	}
	if of.Rows != rows || of.Samples != samples {
		t.Fatalf("%d rows and %d samples, want %d and %d", of.Rows, of.Samples, rows, samples)
	}
	return taken
}

// TestTakeRefuses checks that the loops panic if a slice is too short.
func TestTakeRefuses(t *testing.T) {
	for _, level := range isa.Available() {
		if level == isa.Generic {
			continue // plain Go checks indices when it uses them
		}
		for name, at := range map[string][3]int{"from": {1, 32, 0}, "to": {0, 20, 0}, "kept": {16, 32, 17}, "end": {0, 48, 0}, "boxes": {0, 32, 0}} {
			var grid Grid
			grid.Begin(Step, 1)
			p := array.MakePolygons(40)
			p.N = 40
			of := Taking{Grid: &grid, Boxes: array.MakeSpans(64), Stride: Step, Width: Step, MaxRows: 2}
			if name == "boxes" {
				of.Boxes.N = 1
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: no panic", level, name)
					}
				}()
				Select(level).Take(&of, p, at[0], at[1], at[2])
			}()
		}
	}
}

// BenchmarkTake tests polygons of two samples. Either none or all of them are hidden.
func BenchmarkTake(b *testing.B) {
	const n = 4096
	for _, level := range isa.Available() {
		loops := Select(level)
		s := someScene(rand.New(rand.NewPCG(13, 14)), loops, 60, 0)
		from, p := array.MakePolygons(n), array.MakePolygons(n)
		for _, near := range []float32{0.1, 0.9} {
			from.Reset()
			for i := range int32(n) {
				x, y := i*701%int32(s.width*array.Sub-600), i*1511%(60*16*array.Sub-600)
				from.Push(array.Vertex{X: x, Y: y, E: near}, array.Vertex{X: x + 500, Y: y, E: near}, array.Vertex{X: x, Y: y + 500, E: near},
					array.Box{X0: array.FirstCenter(x), X1: array.FirstCenter(x + 500), Y0: array.FirstCenter(y), Y1: array.FirstCenter(y + 500)}, 0, int(i))
			}
			of := Taking{Grid: &s.grid, Boxes: array.MakeSpans(8 * n), Stride: int32(s.stride), Width: int32(s.width), MaxRows: 8}
			b.Run(fmt.Sprintf("near=%g/impl=%s", near, level), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					p.Reset()
					p.PushAll(from)
					of.Boxes.N = 0
					b.StartTimer()
					loops.Take(&of, p, 0, n, 0)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/polygon")
				b.ReportMetric(float64(of.Boxes.N), "boxes")
			})
		}
	}
}
