package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
)

// packAll packs a block.
func packAll(b *scenes.Block) (all []leaves.Group) {
	var p leaves.Packer
	var words []uint32
	var starts []int
	for from := 0; from < b.Len(); from += leaves.GroupTriangles {
		starts = append(starts, len(words))
		words = p.Append(words, b, from, min(from+leaves.GroupTriangles, b.Len()))
		all = append(all, leaves.Group{Vertices: len(p.Vertices())})
	}
	for i := range all {
		all[i].Words = words[starts[i]:][:leaves.PackedWords(all[i].Vertices)]
	}
	return all
}

// smallGroup returns triangles of random sizes between corners of a grid, so that they share vertices. Few have odd
// coordinates, because a group with one that cannot be snapped has no places.
func smallGroup(r *rand.Rand, n int) scenes.Block {
	b := scenes.MakeBlock(n)
	fillTriangles(r, &b, r.IntN(2)*r.IntN(20))
	if r.IntN(4) == 0 {
		return b
	}
	side := 2 + r.IntN(10)
	step := float32(1)
	for range r.IntN(14) {
		step /= 2
	}
	at := [3]float32{r.Float32() - 0.5, r.Float32() - 0.5, r.Float32() - 0.5}
	grid := make([][3]float32, side*side)
	for i := range grid {
		grid[i] = [3]float32{at[0] + step*float32(i%side), at[1] + step*float32(i/side), at[2] + step*r.Float32()}
	}
	for t := range n {
		i := r.IntN(len(grid) - side - 1)
		b.Set(t, [3][3]float32{grid[i], grid[i+1+r.IntN(2)*(side-1)], grid[i+side+r.IntN(2)]})
	}
	return b
}

// TestSmall searches for triangles that Project passes on although Small leaves them out, and compares the vector loops
// with the specification.
func TestSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 11))
	levels := append([]isa.Level{isa.Generic}, twinLevels(t)...)
	left, drawn, whole := 0, 0, 0
	for round := range 6000 {
		v := randomView(r)
		b := smallGroup(r, 1+r.IntN(leaves.GroupTriangles))
		group := packAll(&b)[0]
		list := make([]leaves.Group, 1+r.IntN(3), 16)
		for i := range list {
			list[i] = group
		}
		var masks []uint64
		for _, level := range levels {
			var s geometry.Small
			s.Begin(level, v)
			got := make([]uint64, len(list))
			s.Cover(list, got)
			masks = append(masks, got...)
		}
		for i, m := range masks {
			if m != masks[0] {
				t.Fatalf("round %d: %v gives %x, the specification %x", round, levels[i/len(list)], m, masks[0])
			}
		}
		if masks[0] == 1<<64-1 {
			whole++
		}
		polys := array.MakePolygons(b.Len() + geometry.MaxClipped)
		var counts geometry.Counts
		toClip := geometry.Project(v, &b, polys, make([]int32, b.Len()), &counts)
		for _, source := range append(toClip, polys.Source[:polys.N]...) {
			drawn++
			if masks[0]>>source&1 == 0 {
				t.Fatalf("round %d: triangle %d is left out", round, source)
			}
		}
		for i := range b.Len() {
			if masks[0]>>i&1 == 0 {
				left++
			}
		}
	}
	t.Logf("%d triangles left out, %d drawn, %d of 6000 groups whole", left, drawn, whole)
	if left < 10000 || drawn < 10000 || whole > 5000 {
		t.Error("too few")
	}
}

// TestSmallMany finds the small triangles of more groups than the vector loops handle in one call. Masks behind those of
// the groups must not change.
func TestSmallMany(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 12))
	v := randomView(r)
	const most, behind = 300, 200
	list := make([]leaves.Group, 0, most+behind+geometry.SmallAhead)
	for range most {
		b := smallGroup(r, 1+r.IntN(leaves.GroupTriangles))
		list = append(list, packAll(&b)...)
	}
	for _, n := range []int{1, 127, 128, 129, 256, 257, most} {
		var want []uint64
		for _, level := range append([]isa.Level{isa.Generic}, twinLevels(t)...) {
			var s geometry.Small
			s.Begin(level, v)
			got := make([]uint64, most+behind)
			for i := n; i < len(got); i++ {
				got[i] = 12345
			}
			if s.Cover(append(make([]leaves.Group, 0, cap(list)), list...)[:n], got); want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%d groups: %v gives other masks", n, level)
			}
		}
	}
}

// BenchmarkSmall measures groups of a bumpy sphere.
func BenchmarkSmall(b *testing.B) {
	mesh := loadBumpy(b, *benchTriangles)
	order := leaves.New(&mesh.Block, func(n int, do func(int)) {
		for i := range n {
			do(i)
		}
	})
	all := packAll(&order.Block)
	v := benchView(false)
	for _, level := range append([]isa.Level{isa.Generic}, twinLevels(b)...) {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			var s geometry.Small
			s.Begin(level, v)
			var covering [64]uint64
			for i := range b.N {
				at := i * 64 % (len(all) - 128)
				s.Cover(all[at:at+64], covering[:])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*64*b.N), "ns/triangle")
		})
	}
}
