package surface

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/vp/isa"
	"lockstep/vp/isa/isatest"
)

// randomCells fills a grid with hills, cliffs, and holes that show nothing.
func randomCells(r *rand.Rand, o *Occlusion) {
	scale := o.view.PerCell * 10
	for y := range o.Height {
		o.beginRow(y, 0, 0)
		empty := r.IntN(5) == 0
		for x := range o.Width {
			if empty || r.IntN(6) == 0 {
				continue
			}
			at := o.at(x, y)
			o.Z[at] = 3 + scale*(r.Float32()-0.5)
			if r.IntN(4) == 0 {
				o.Z[at] = 3
			}
			if r.IntN(40) == 0 {
				o.Z[at] = 9 * r.Float32()
			}
			n := float3.New(r.Float32()-0.5, r.Float32()-0.5, r.Float32()).Unit()
			o.NX[at], o.NY[at], o.NZ[at] = n.X, n.Y, n.Z
			if o.shownCells[y][1] == 0 {
				o.shownCells[y][0] = int32(x)
			}
			o.shownCells[y][1] = int32(x + 1)
		}
	}
}

// copyOf returns a copy that has its own columns and other loops.
func (o *Occlusion) copyOf(loops *occlude.Loops) *Occlusion {
	c := *o
	c.loops = loops
	for _, column := range []*[]float32{&c.Open, &c.Between} {
		*column = append([]float32(nil), *column...)
	}
	return &c
}

// TestOcclusionTwins compares the loops of every instruction set with the specification, for grids of all widths near
// whole vectors, for radii from 0 to the largest, and for both projections.
func TestOcclusionTwins(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		loops := occlude.Select(level)
		if loops == nil {
			continue
		}
		r := rand.New(rand.NewPCG(5, 6))
		hidden, flat := 0, 0
		for round := range 150 {
			width, height := 2+round, 1+r.IntN(70)
			v := OcclusionView{
				Radius: 0.1 + 0.4*r.Float32(), PerCell: 0.002 + 0.1*r.Float32(), Orthographic: round%3 == 0,
				CenterX: float32(width) / 4, CenterY: float32(height) / 4,
			}
			if round%10 == 0 {
				v.PerCell = 0.0001
			}
			var want Occlusion
			want.Begin(width, height, v, nil)
			randomCells(r, &want)
			got := want.copyOf(loops)
			stages := []func(o *Occlusion, y int){
				(*Occlusion).MeasureSky,
				func(o *Occlusion, y int) { o.AverageAcross(y, false) },
				func(o *Occlusion, y int) { o.AverageDown(y, false) },
				func(o *Occlusion, y int) { o.AverageAcross(y, true) },
				func(o *Occlusion, y int) { o.AverageDown(y, true) },
			}
			for stage, do := range stages {
				for y := range want.Height {
					do(&want, y)
					do(got, y)
				}
				from, to := want.Open, got.Open
				if stage%2 == 1 {
					from, to = want.Between, got.Between
				}
				for y := range want.Height {
					for x := range want.Width {
						at := want.at(x, y)
						if !(want.Z[at] < math.MaxFloat32) {
							if stage == 0 && to[at] != 1 {
								t.Fatalf("%v: round %d: an empty cell is open by %v", level, round, to[at])
							}
							continue
						}
						if math.Float32bits(from[at]) != math.Float32bits(to[at]) {
							t.Fatalf("%v: round %d, stage %d, cell (%d, %d): %v, want %v", level, round, stage, x, y, to[at], from[at])
						}
						if from[at] < 1 {
							hidden++
						} else {
							flat++
						}
					}
				}
			}
		}
		compareAround(t, level, loops, r)
		if hidden < 10000 || flat < 10000 {
			t.Errorf("%v: only %d cells with and %d without something above them", level, hidden, flat)
		}
	}
}

// TestIsOpen closes one cell at a time near n pixels. IsOpen must return false exactly for the cells that
// InterpolateSky would average, except that it tests whole vectors.
func TestIsOpen(t *testing.T) {
	const width, height = 3 * occlude.Pixels, 7
	for _, level := range isa.Available() {
		loops := occlude.Select(level)
		if loops == nil {
			continue
		}
		var o Occlusion
		o.Begin(width, height, OcclusionView{Radius: 0.3, PerCell: 0.01}, loops)
		for i := range o.Open {
			o.Open[i] = 1
		}
		for i := range 2 * occlude.Pixels { // pixels of two rows, which lie between the same cells
			const x = occlude.Pixels
			n, y := 1+i/2, 3+i%2
			if !o.IsOpen(n, x, y) {
				t.Fatalf("%v: %d pixels under open cells are not open", level, n)
			}
			for i := range o.Open {
				row, column := (i-o.First+o.Stride)/o.Stride-1, (i-o.First+o.Stride)%o.Stride
				around := (row == 1 || row == 2) && column >= x/2-1 && column <= (x+n)/2
				if !around && (row == 1 || row == 2) && column > (x+n)/2 && column < x/2-1+2*occlude.Lanes+occlude.Pixels/2 {
					continue // part of a whole vector
				}
				o.Open[i] = math.Nextafter32(1, 0)
				if open := o.IsOpen(n, x, y); open == around {
					t.Fatalf("%v: %d pixels under cell %d of row %d: %v", level, n, column, row, open)
				}
				o.Open[i] = 1
			}
		}
	}
}

// TestOcclusionForgetsLargerPictures draws a small picture after a large one.
func TestOcclusionForgetsLargerPictures(t *testing.T) {
	v := OcclusionView{Radius: 0.3, PerCell: 0.01, CenterX: 10, CenterY: 10}
	var used, fresh Occlusion
	used.Begin(100, 90, v, nil)
	randomCells(rand.New(rand.NewPCG(1, 1)), &used)
	used.Begin(40, 40, v, nil)
	fresh.Begin(40, 40, v, nil)
	for y := range fresh.Height {
		used.beginRow(y, 0, 0)
		fresh.beginRow(y, 0, 0)
	}
	for i, z := range fresh.Z {
		if used.Z[i] != z || !math.IsInf(float64(z), 1) {
			t.Fatalf("element %d at distance %v, in a fresh one %v, want infinity", i, used.Z[i], z)
		}
	}
}

// compareAround compares the results of InterpolateSky with those of At, for all places in a row and at the edge of the
// picture.
func compareAround(t *testing.T, level isa.Level, loops *occlude.Loops, r *rand.Rand) {
	t.Helper()
	var distance, want, got [occlude.Pixels]float32
	edges := 0
	defer func() {
		if edges < 100 {
			t.Errorf("only %d edges", edges)
		}
	}()
	for round := range 60 {
		width, height := 1+r.IntN(150), 1+round
		v := OcclusionView{Radius: 0.3, PerCell: 0.01, CenterX: float32(width) / 4, CenterY: float32(height) / 4}
		var plain Occlusion
		plain.Begin(width, height, v, nil)
		randomCells(r, &plain)
		for i := range plain.Open {
			plain.Open[i] = r.Float32()
		}
		with := plain.copyOf(loops)
		for y := range height {
			for x := 0; x < width; x += occlude.Pixels {
				n := min(occlude.Pixels, width-x)
				for i := range n {
					distance[i] = 3 + 0.4*(r.Float32()-0.5)
				}
				plain.InterpolateSky(distance[:], want[:], n, x, y)
				with.InterpolateSky(distance[:], got[:], n, x, y)
				wantEdge, edge := plain.Edges(n, x, y), with.Edges(n, x, y)
				if places := uint64(1)<<(n/2+1) - 1; edge.Any() != wantEdge.Any() || edge.At&places != wantEdge.At {
					t.Fatalf("%v: edges around pixels (%d, %d) of %dx%d: %b, want %b", level, x, y, width, height, edge.At&places, wantEdge.At)
				}
				edges += bits.OnesCount64(wantEdge.At)
				for i := range n {
					if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
						t.Fatalf("%v: pixel (%d, %d) of %dx%d: %v, want %v", level, x+i, y, width, height, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestAroundLongRows compares rows that take several calls of the assembly loop with those that are computed pixel by
// pixel.
func TestAroundLongRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	const width = 2*4096 + 150
	var plain Occlusion
	plain.Begin(width, 6, OcclusionView{Radius: 0.3, PerCell: 0.01, CenterX: width / 4, CenterY: 2}, nil)
	randomCells(r, &plain)
	for i := range plain.Open {
		plain.Open[i] = r.Float32()
	}
	distance, want, got := make([]float32, width+occlude.Lanes), make([]float32, width+occlude.Lanes), make([]float32, width+occlude.Lanes)
	for i := range distance {
		distance[i] = 3 + 0.4*(r.Float32()-0.5)
	}
	for _, level := range isa.Available() {
		loops := occlude.Select(level)
		if loops == nil {
			continue
		}
		with := plain.copyOf(loops)
		for y := range 6 {
			plain.InterpolateSky(distance, want, width, 0, y)
			with.InterpolateSky(distance, got, width, 0, y)
			if !slices.Equal(got[:width], want[:width]) {
				t.Errorf("%v: row %d differs", level, y)
			}
		}
	}
}

// unitAxes holds the axes of a camera that looks along the third axis of the mesh.
var unitAxes = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// TestMargins changes cells beyond the margins of a row of pixels. The row must not depend on these cells, but it must
// depend on the last row of cells inside the margin of the averages.
func TestMargins(t *testing.T) {
	for _, v := range []OcclusionView{
		{Radius: 0.3, PerCell: 0.02, Orthographic: true, CenterX: 20, CenterY: 60, Axes: unitAxes},
		{Radius: 0.3, PerCell: 0.007, Nearest: 2, CenterX: 20, CenterY: 60, Axes: unitAxes}, // a few cells are nearer
	} {
		const width, height = 80, 240
		r := rand.New(rand.NewPCG(8, 9))
		var o Occlusion
		o.Begin(width, height, v, nil)
		randomCells(r, &o)
		for i := range o.Z {
			if o.Z[i] < v.Nearest {
				o.Z[i] = v.Nearest
			}
		}
		margin := v.Margin()
		seen := [2]bool{} // whether the row depends on the last row inside AverageMargin, and on the farther half of Margin
		for py := 100; py < 140; py++ {
			want := o.copyOf(nil).lit(py, AverageMargin)
			o.hide(py/2, margin, func(part *Occlusion) {
				if got := part.lit(py, AverageMargin); !slices.Equal(got, want) {
					t.Errorf("row %d is not the same without cells beyond %d rows", py, margin)
				}
			})
			if got := o.copyOf(nil).lit(py, height); !slices.Equal(got, want) {
				t.Errorf("row %d is not the same without Look beyond %d rows", py, AverageMargin)
			}
			seen[0] = seen[0] || !slices.Equal(o.copyOf(nil).lit(py, AverageMargin-1), want)
			o.hide(py/2, margin/2, func(part *Occlusion) { seen[1] = seen[1] || !slices.Equal(part.lit(py, AverageMargin), want) })
		}
		if seen != [2]bool{true, true} {
			t.Errorf("rows within the margins are not seen: %v", seen)
		}
	}
}

// lit returns the open shares of the sky above a row of pixels. It calls MeasureSky only for rows of cells that are at
// most `near` rows away.
func (o *Occlusion) lit(py, near int) (open []float32) {
	for i := range o.Open {
		o.Open[i] = 0.5
	}
	for y := max(py/2-near, 0); y <= min(py/2+near, o.Height-1); y++ {
		o.MeasureSky(y)
	}
	for _, second := range []bool{false, true} {
		for y := range o.Height {
			o.AverageAcross(y, second)
		}
		for y := range o.Height {
			o.AverageDown(y, second)
		}
	}
	for px := range 2 * o.Width {
		open = append(open, o.At(px, py, o.Z[o.at(px/2, py/2)]))
	}
	// All near cells may show other surfaces, so points of the surfaces two rows above and two rows below are tested
	// too.
	axes := [3]float3.Vector{float3.Of(o.view.Axes[0]), float3.Of(o.view.Axes[1]), float3.Of(o.view.Axes[2])}
	for x := range o.Width {
		for _, row := range [2]int{py/2 - 2, py/2 + 2} {
			at := o.at(x, row)
			if !(o.Z[at] < math.MaxFloat32) {
				continue
			}
			n := axes[0].Scale(o.NX[at]).Add(axes[1].Scale(o.NY[at])).Add(axes[2].Scale(o.NZ[at]))
			sky, _ := o.skyAbove(2*x, py, o.Z[at], n)
			open = append(open, sky)
		}
	}
	return open
}

// The method hide calls the function do with a copy of the grid. The copy shows nothing in cells that are more than
// `margin` rows from `row`.
func (o *Occlusion) hide(row, margin int, do func(part *Occlusion)) {
	part := o.copyOf(nil)
	part.Z = slices.Clone(o.Z)
	for y := range o.Height {
		if y < row-margin || y > row+margin {
			part.clear(y, 0, o.Width)
		}
	}
	do(part)
}
