package visible

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/show"
	"lockstep/vp/isa"
)

// TestPlace packs the extreme values of every field.
func TestPlace(t *testing.T) {
	for _, pixel := range []int32{0, 1, 32767, 65535} {
		for _, count := range []int32{1, 4, 16} {
			for _, x := range []int32{-16, -1, 0, 16} {
				for _, y := range []int32{-16, 0, 3, 16} {
					p := MakePlace(pixel, count, x, y)
					if gotX, gotY := p.Sums(); p.Pixel() != pixel || p.Count() != count || gotX != x || gotY != y {
						t.Fatalf("pixel %d, %d samples, (%d, %d): %d, %d, (%d, %d)", pixel, count, x, y, p.Pixel(), p.Count(), gotX, gotY)
					}
				}
			}
		}
	}
}

// TestKnownPixel checks the points of two pixels of four samples. The first pixel shows one triangle. The second shows
// two triangles, one of them with two samples. The nearness of a pixel is that of its first covered sample.
func TestKnownPixel(t *testing.T) {
	key := func(e float32, triangle uint32) uint64 { return array.Key(e, uint64(^triangle)) }
	keys := []uint64{
		0, 0, 0, key(0.5, 7), // two pixels; the lower row of the first one shows triangle 9
		key(0.25, 9), 0, key(0.75, 3), key(0.5, 7),
	}
	var r Rows
	r.Begin(12, nil)
	r.Add(keys, 4, 2, 10, 2)
	r.EndRow()
	triangles, places, nearness := r.Row(0)
	if want := []uint32{9, 7, 3}; !slices.Equal(triangles, want) {
		t.Errorf("triangles %v, want %v", triangles, want)
	}
	if want := []Place{MakePlace(10, 1, -1, 1), MakePlace(11, 2, 2, 0), MakePlace(11, 1, -1, 1)}; !slices.Equal(places, want) {
		t.Errorf("places %x, want %x", places, want)
	}
	if want := []float32{0.25, 0.5}; !slices.Equal(nearness[10:], want) || r.Shown != 2 {
		t.Errorf("nearness %v, want %v", nearness, want)
	}
}

// A point holds the number of a pixel's samples that show one triangle, and the sums of their offsets.
type point struct {
	triangle          uint32
	count, sumX, sumY int32
}

// shown finds the points of a pixel, one triangle after the other.
func shown(keys []uint64, stride, grid int) (points []point) {
	for first := range grid * grid {
		key := keys[first/grid*stride+first%grid]
		if key == 0 || slices.ContainsFunc(points, func(p point) bool { return p.triangle == array.Payload(key) }) {
			continue
		}
		p := point{triangle: array.Payload(key)}
		for i := range grid * grid {
			if k := keys[i/grid*stride+i%grid]; k != 0 && array.Payload(k) == p.triangle {
				p.count++
				p.sumX += int32(2*(i%grid) + 1 - grid)
				p.sumY += int32(2*(i/grid) + 1 - grid)
			}
		}
		points = append(points, p)
	}
	return points
}

// TestRows compares the points of rows with the points that the function shown finds. The rows have few or many
// triangles, and gaps.
func TestRows(t *testing.T) {
	testRows(t, nil)
	for _, level := range isa.Available() {
		if loops := show.Select(level); loops != nil {
			t.Run(level.String(), func(t *testing.T) { testRows(t, loops) })
		}
	}
}

func testRows(t *testing.T, loops *show.Loops) {
	random := rand.New(rand.NewPCG(3, 1))
	for round := range 300 {
		grid := []int{1, 2, 4}[round%3]
		const width, height = 70, 3
		stride := grid*width + 8
		keys := make([]uint64, grid*height*stride)
		kinds := 1 + random.IntN(5)
		for i := range keys {
			if random.IntN(6) > 0 {
				keys[i] = array.Key(random.Float32()+0.1, uint64(^uint32(random.IntN(kinds)*random.IntN(1e6)/kinds)))
			}
			if i > 0 && random.IntN(3) > 0 {
				keys[i] = keys[i-1]
			}
			if i >= stride && random.IntN(2) > 0 {
				keys[i] = keys[i-stride]
			}
		}
		if round%2 == 0 {
			clear(keys[random.IntN(len(keys)):]) // whole vectors without a triangle
		}
		var r Rows
		r.Begin(width, loops)
		r.Add(keys, stride, grid, 3, 1)
		r.EndRow()
		r.Begin(width, loops)
		for y := range height {
			row := keys[y*grid*stride:]
			cut := random.IntN(width)
			r.Add(row, stride, grid, 0, cut)
			r.Add(row[grid*cut:], stride, grid, cut, width-cut)
			r.EndRow()
		}
		r.End()
		shownPixels := 0
		for y := range height {
			triangles, places, nearness := r.Row(y)
			for x := range width {
				pixel := keys[y*grid*stride+grid*x:]
				want := shown(pixel, stride, grid)
				if first := firstOf(pixel, stride, grid); math.Float32bits(nearness[x]) != uint32(first>>32) {
					t.Fatalf("round %d, pixel (%d, %d): nearness %g", round, x, y, nearness[x])
				}
				if len(want) > 0 {
					shownPixels++
				}
				for _, w := range want {
					sumX, sumY := places[0].Sums()
					if got := (point{triangles[0], places[0].Count(), sumX, sumY}); got != w || int(places[0].Pixel()) != x {
						t.Fatalf("round %d, pixel (%d, %d) of grid %d: %v of pixel %d, want %v", round, x, y, grid, got, places[0].Pixel(), w)
					}
					triangles, places = triangles[1:], places[1:]
				}
			}
			if len(triangles)+len(places) > 0 {
				t.Fatalf("round %d, row %d: %d points are left", round, y, len(triangles))
			}
		}
		if r.Shown != shownPixels {
			t.Fatalf("round %d: %d pixels show something, want %d", round, r.Shown, shownPixels)
		}
	}
}

func firstOf(keys []uint64, stride, grid int) uint64 {
	for i := range grid * grid {
		if k := keys[i/grid*stride+i%grid]; k != 0 {
			return k
		}
	}
	return 0
}

// TestNearnessMemory checks that rows store the nearness in the memory that the caller passed, and that rows without
// pixels do not touch this memory.
func TestNearnessMemory(t *testing.T) {
	memory := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	r := Rows{Nearness: memory[:4]}
	r.Nearness = r.Nearness[:0:8]
	r.Begin(4, nil)
	for range 2 {
		r.EndRow()
	}
	r.End()
	if want := []float32{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(memory, want) || &r.Nearness[0] != &memory[0] {
		t.Errorf("memory is %v, want %v", memory, want)
	}
	if _, _, nearness := r.Row(1); !slices.Equal(nearness, memory[4:]) {
		t.Errorf("the second row has %v", nearness)
	}
	var blank Rows
	blank.Begin(4, nil)
	blank.EndRow()
	if blank.End(); len(blank.Nearness) != 4 {
		t.Errorf("a row to which nothing was added has %d pixels", len(blank.Nearness))
	}
}
