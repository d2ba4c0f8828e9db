package hidden

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// rowOf returns the keys of a tile row with the given number of samples. A sample is not covered with probability
// `open`.
func rowOf(random *rand.Rand, samples, stride int, open float64) []uint64 {
	keys := make([]uint64, array.TileRows*stride)
	for y := range array.TileRows {
		for x := range samples {
			if random.Float64() >= open {
				keys[y*stride+x] = array.Key(random.Float32()/2+0.5, random.Uint64()>>32)
			}
		}
	}
	return keys
}

// boxOf appends a box.
func boxOf(s *array.Spans, x, y, width, rows int, bound float32) {
	n := s.N
	s.Start[n], s.Count[n], s.E[n], s.Payload[n] = 0, int32(width), bound, uint32(n)
	s.DE[n] = math.Float32frombits(array.Place(int32(x), int32(y), int32(rows)))
	s.N = n + 1
}

// TestTable compares the tables of all instruction sets with the keys, for all windows of cells.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, level := range isa.Available() {
		loops := Select(level)
		for n := 1; n <= 20; n++ {
			samples := n * Step
			stride := samples + 8*random.IntN(4)
			keys := rowOf(random, samples, stride, 0.002*float64(n%3))
			var table Table
			table.Begin(20 * Step) // an earlier tile row
			table.Add(loops, 0, 20*Step, rowOf(random, 20*Step, 20*Step, 0), 20*Step)
			table.Begin(samples)
			first, end := Step*random.IntN(n), samples // the other samples are not drawn
			if first < end {
				table.Add(loops, first, end-first, keys[first:], stride)
			}
			table.End(loops)
			for rows := range 3 {
				for level := range levels {
					for cell := range samples/CellWidth - 1<<level + 1 {
						want := uint32(math.MaxUint32)
						for y := rows / 2 * CellHeight; y < (rows+1)/2*CellHeight+CellHeight; y++ {
							for x := cell * CellWidth; x < (cell+1<<level)*CellWidth; x++ {
								near := uint32(0)
								if x >= first {
									near = uint32(keys[y*stride+x] >> 32)
								}
								want = min(want, near)
							}
						}
						if got := table.window(rows, level)[cell]; got != want {
							t.Fatalf("rows %d, level %d, cell %d of %d samples: %x, want %x", rows, level, cell, samples, got, want)
						}
					}
				}
			}
		}
	}
}

// TestVisible tests boxes of all sizes with the loops of every instruction set. Some boxes are exactly as near as the
// least key of their cells. A box is visible unless all keys of its cells are nearer.
func TestVisible(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, level := range isa.Available() {
		loops := Select(level)
		for n := range 100 {
			samples := Step * (1 + n%17)
			keys := rowOf(random, samples, samples, 0.0005*float64(n%3))
			var table Table
			table.Begin(samples)
			table.Add(loops, 0, samples, keys, samples)
			table.End(loops)
			boxes := array.MakeSpans(n)
			var want []uint32
			for boxes.N < n {
				width := 1 + random.IntN(min(65, samples))
				x, y := random.IntN(samples-width+1), random.IntN(array.TileRows)
				rows := 1 + random.IntN(array.TileRows-y)
				least := leastOfCells(keys, samples, x, y, width, rows)
				bound := []float32{random.Float32()/2 + 0.5, least, math.Nextafter32(least, 0), 0x1p-125}[random.IntN(4)]
				if bound >= least {
					want = append(want, uint32(boxes.N))
				}
				boxOf(boxes, x, y, width, rows, bound)
			}
			got := make([]uint32, n+array.Lanes)
			got = got[:loops.Visible(&table, boxes, got)]
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %d boxes in %d samples: visible %v, want %v", level, n, samples, got, want)
			}
		}
	}
}

// leastOfCells returns the least nearness in the cells that a box meets.
func leastOfCells(keys []uint64, stride, x, y, width, rows int) float32 {
	least := float32(math.Inf(1))
	for j := y / CellHeight * CellHeight; j < (y+rows+CellHeight-1)/CellHeight*CellHeight; j++ {
		for i := x / CellWidth * CellWidth; i < (x+width+CellWidth-1)/CellWidth*CellWidth; i++ {
			least = min(least, array.Nearness(keys[j*stride+i]))
		}
	}
	return least
}

// TestRefuses checks that the loops panic if a slice is too short.
func TestRefuses(t *testing.T) {
	for _, level := range isa.Available() {
		if level == isa.Generic {
			continue // plain Go checks indices when it uses them
		}
		loops := Select(level)
		for name, do := range map[string]func(){
			"keys":   func() { loops.Cells(make([]uint64, 15*Step+Step-1), Step, make([]uint32, 8), make([]uint32, 8)) },
			"cells":  func() { loops.Cells(make([]uint64, 16*Step), Step, make([]uint32, 7), make([]uint32, 7)) },
			"lower":  func() { loops.Cells(make([]uint64, 16*Step), Step, make([]uint32, 8), make([]uint32, 7)) },
			"minima": func() { loops.Minima(make([]uint32, 16), make([]uint32, 15), make([]uint32, 16)) },
			"to":     func() { visibleOf(loops, 3, 18) },
			"boxes":  func() { visibleOf(loops, 4, 40) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: no panic", level, name)
					}
				}()
				do()
			}()
		}
	}
}

// visibleOf calls Visible for an array with space for three boxes, of which n are said to be in use. The slice of
// results has the length room.
func visibleOf(loops *Loops, n, room int) {
	var table Table
	table.Begin(Step)
	table.End(loops)
	boxes := array.MakeSpans(3)
	boxes.N = n
	loops.Visible(&table, boxes, make([]uint32, room))
}

// BenchmarkVisible tests 512 small boxes in a tile row of 3840 samples.
func BenchmarkVisible(b *testing.B) {
	random, boxes, to := rand.New(rand.NewPCG(5, 6)), array.MakeSpans(512), make([]uint32, 512+array.Lanes)
	keys := rowOf(random, 3840, 3848, 0.0001)
	for boxes.N < 512 {
		x := min(boxes.N*7, 3800)
		boxOf(boxes, x, random.IntN(12), 1+random.IntN(12), 1+random.IntN(4), random.Float32()*0.6)
	}
	for _, level := range isa.Available() {
		loops := Select(level)
		var table Table
		measure := func() {
			table.Begin(3840)
			table.Add(loops, 0, 3840, keys, 3848)
			table.End(loops)
		}
		measure()
		b.Run("visible/impl="+level.String(), func(b *testing.B) {
			for range b.N {
				loops.Visible(&table, boxes, to)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/box")
		})
		b.Run("table/impl="+level.String(), func(b *testing.B) {
			for range b.N {
				measure()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/row")
		})
	}
}
