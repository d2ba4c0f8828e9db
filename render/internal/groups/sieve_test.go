package groups

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/view"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
)

// finely divides the triangles of a mesh, so that they share vertices and many cover no sample.
func finely(random *rand.Rand, mesh *scenes.Block) scenes.Block {
	side := 1 + random.IntN(12)
	b := scenes.MakeBlock(mesh.Len() * side * side)
	n := 0
	for t := range mesh.Len() {
		c := mesh.Triangle(t)
		at := func(i, k int) (p [3]float32) {
			u, v := float32(i)/float32(side), float32(k)/float32(side)
			for axis := range p {
				p[axis] = c[0][axis] + u*(c[1][axis]-c[0][axis]) + v*(c[2][axis]-c[0][axis])
			}
			return p
		}
		for i := range side {
			for k := range side - i {
				b.Set(n, [3][3]float32{at(i, k), at(i+1, k), at(i, k+1)})
				n++
				if k < side-i-1 {
					b.Set(n, [3][3]float32{at(i+1, k), at(i+1, k+1), at(i, k+1)})
					n++
				}
			}
		}
	}
	return b.Slice(0, n)
}

// wanted returns the numbers of the triangles of a part of a mesh that the geometry loop draws or clips.
func wanted(v *geometry.View, part *scenes.Block, first int) (all []uint32) {
	var counts geometry.Counts
	polys := array.MakePolygons(part.Len() + geometry.MaxClipped)
	toClip := geometry.Project(v, part, polys, make([]int32, part.Len()), &counts)
	for _, t := range append(slices.Clone(toClip), polys.Source[:polys.N]...) {
		all = append(all, uint32(first)+uint32(t))
	}
	return all
}

// TestSieve searches for triangles that a sieve leaves out although they are drawn, and checks that it collects each
// triangle once, with its corners, colour and number. The counters must add up.
func TestSieve(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 7))
	left, drawn := 0, 0
	for round := range 400 {
		cam := someCamera(random)
		coarse := someMesh(random, &cam)
		mesh := finely(random, &coarse)
		if random.IntN(2) == 0 {
			mesh.Colors = make([]uint32, mesh.Len())
			for i := range mesh.Colors {
				mesh.Colors[i] = random.Uint32() >> 8
			}
		}
		g := New(&mesh, oneByOne)
		if random.IntN(2) == 0 {
			g.Numbers = make([]uint32, mesh.Len())
			for i := range g.Numbers {
				g.Numbers[i] = uint32(1000000 + 3*i)
			}
		}
		g.Pack(oneByOne)
		v := cam.Geometry(&view.Screen{Width: 1 + random.IntN(200), Height: 1 + random.IntN(200), Grid: 1 << random.IntN(3)})
		var picked []int32
		want := map[uint32]bool{}
		for i := range g.Len() {
			if random.IntN(4) == 0 {
				continue
			}
			picked = append(picked, int32(i))
			part := mesh.Slice(i*Size, min((i+1)*Size, mesh.Len()))
			for _, n := range wanted(&v, &part, i*Size) {
				want[n] = true
			}
		}
		for _, level := range isa.Available() {
			var s Sieve
			s.Begin(level, &v, g, true, mesh.Len()+5)
			s.n = 5 // triangles of an earlier call
			half := len(picked) / 2
			addAll(t, &s, picked[:half])
			addAll(t, &s, picked[half:])
			got := map[uint32]bool{}
			for i := 5; i < s.Len(); i++ {
				number := s.Numbers[i]
				if g.Numbers != nil {
					number = (number - 1000000) / 3
				}
				if got[number] || cornerBits(s.Block.Triangle(i)) != cornerBits(mesh.Triangle(int(number))) || mesh.Colors != nil && s.Block.Colors[i] != mesh.Colors[number] {
					t.Fatalf("round %d, %v: triangle %d has other corners or another colour, or comes twice", round, level, number)
				}
				got[number] = true
			}
			for n := range want {
				if !got[n] {
					t.Fatalf("round %d, %v: triangle %d is left out", round, level, n)
				}
			}
			if s.Kept != s.Len()-5 || s.Read < s.Kept {
				t.Fatalf("round %d: %d kept of %d, want %d", round, s.Kept, s.Read, s.Len()-5)
			}
			left += s.Read - s.Kept
		}
		drawn += len(want)
	}
	t.Logf("%d triangles left out, %d drawn", left, drawn)
	if left < 10000 || drawn < 10000 {
		t.Error("too few")
	}
}

// addAll adds groups to a sieve, and collects their triangles.
func addAll(t *testing.T, s *Sieve, groups []int32) {
	t.Helper()
	for len(groups) > 0 {
		n := min(maxRun, len(groups))
		if s.Add(groups[:n]) {
			groups = groups[n:]
		} else if err := s.Collect(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Collect(); err != nil {
		t.Fatal(err)
	}
}

// TestSieveOrder checks that a sieve takes no groups that come before those that wait, nor more than it can hold, and
// that it takes them after Collect. Groups that a cancelled frame added must not be read in the next frame.
func TestSieveOrder(t *testing.T) {
	mesh := scenes.MakeBlock(2 * maxWaiting * Size)
	g := New(&mesh, oneByOne)
	g.Pack(oneByOne)
	v := geometry.View{Scale: 1, Orthographic: true, Near: 1, Width: 10, Height: 10}
	var s Sieve
	s.Begin(isa.Generic, &v, g, false, 1)
	ascending := make([]int32, maxWaiting+2)
	for i := range ascending {
		ascending[i] = int32(i + 5)
	}
	for _, groups := range [][]int32{{3}, {7, 8}} {
		if !s.Add(groups) {
			t.Fatalf("groups %v are refused", groups)
		}
	}
	for _, groups := range [][]int32{{8}, {2}, ascending[4:]} {
		if s.Add(groups) {
			t.Fatalf("%d groups from %d on are taken", len(groups), groups[0])
		}
	}
	if err := s.Collect(); err != nil || s.Read != 3*Size {
		t.Fatalf("%d triangles read, error %v; want %d", s.Read, err, 3*Size)
	}
	if !s.Add(ascending[:maxRun]) {
		t.Error("groups are refused after Collect")
	}
	s.End() // the frame was cancelled
	for i := range s.list {
		if s.list[i].Words != nil {
			t.Fatal("packed groups are kept after the frame")
		}
	}
	s.Begin(isa.Generic, &v, g, false, 1)
	if err := s.Collect(); err != nil || s.Read != 0 {
		t.Errorf("%d triangles of the cancelled frame are read, error %v", s.Read, err)
	}
}

// cornerBits returns the bits of coordinates, because NaN differs from itself.
func cornerBits(corners [3][3]float32) (b [9]uint32) {
	for i := range b {
		b[i] = math.Float32bits(corners[i/3][i%3])
	}
	return b
}

// A damagedFile stores a mesh of which every second group is damaged. Its triangles are numbered backwards.
type damagedFile struct{ *Groups }

func (f damagedFile) ReadGroups([]int32, *scenes.Block, []uint32) error { panic("not used") }

func (f damagedFile) EachRun(groups []int32, list []leaves.Group, scratch *scenes.Block, visit func([]int32, []leaves.Group)) error {
	for i, g := range groups {
		if g%2 == 1 {
			visit(groups[i:i+1], nil)
		} else if err := f.eachRun(groups[i:i+1], list, scratch, visit); err != nil {
			return err
		}
	}
	return nil
}

func (f damagedFile) Pick(_ *scenes.Block, numbers []uint32, numbered bool, _ *scenes.Block) error {
	for i := range numbers {
		if numbered {
			numbers[i] = uint32(f.Len()-1) - numbers[i]
		}
	}
	return nil
}

func (f damagedFile) HasColors() bool { return false }
func (f damagedFile) Len() int        { return f.Mesh.Len() }

// TestSieveDamage checks that all triangles of damaged groups are collected with NaN coordinates, so that frames count
// them as dropped. The last group is damaged and not full.
func TestSieveDamage(t *testing.T) {
	mesh := scenes.MakeBlock(3*Size + 10)
	g := New(&mesh, oneByOne)
	g.Pack(oneByOne)
	v := geometry.View{Scale: 1, Orthographic: true, Near: 1, Width: 10, Height: 10} // all triangles have the same place
	file := damagedFile{g}
	var s Sieve
	s.Begin(isa.Generic, &v, &Groups{Stored: file}, true, mesh.Len())
	addAll(t, &s, []int32{0, 1, 2, 3})
	if s.Len() != Size+10 || s.Kept != s.Len() || s.Read != mesh.Len() {
		t.Fatalf("%d collected, %d kept of %d", s.Len(), s.Kept, s.Read)
	}
	for i := range s.Len() {
		number := mesh.Len() - 1 - Size - i
		if i >= Size {
			number = mesh.Len() - 1 - 3*Size - (i - Size)
		}
		for k := range 3 {
			if x, y, z := s.Block.X[k][i], s.Block.Y[k][i], s.Block.Z[k][i]; x == x || y == y || z == z || s.Numbers[i] != uint32(number) {
				t.Fatalf("triangle %d at %g, %g, %g has number %d, want %d", i, x, y, z, s.Numbers[i], number)
			}
		}
	}
}
