package normals

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/vp/isa/race"
)

func inTurn(n int, do func(task int)) {
	for i := range n {
		do(i)
	}
}

func atOnce(n int, do func(task int)) {
	var wg sync.WaitGroup
	for i := n - 1; i >= 0; i-- {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

func sceneMesh(t testing.TB, name string) *scenes.Mesh {
	t.Helper()
	scene, err := procedural.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return mesh
}

// TestPack checks that packing changes a direction by less than a hundredth of a degree. It must not change a direction
// along an axis.
func TestPack(t *testing.T) {
	for axis := range 3 {
		for _, s := range []float32{1, -1} {
			var a [3]float32
			a[axis] = s
			v := float3.Of(a)
			if got := Unpack(Pack(v)); got != v {
				t.Errorf("%v comes back as %v", v, got)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float32Range(-1, 1)
		v := float3.New(c.Draw(t, "x"), c.Draw(t, "y"), c.Draw(t, "z"))
		if v.Length() < 1e-3 {
			return
		}
		u := v.Unit()
		if d := Unpack(Pack(v)).Sub(u).Length(); d > 1e-4 {
			t.Errorf("%v comes back %g away", u, d)
		}
	})
}

// TestNormals compares Normals with specNormal on meshes with and without creases. Where the width of a soft edge is
// almost 0, the normals depend on the last bits of the angles. At most one such corner per hundred triangles is
// tolerated.
func TestNormals(t *testing.T) {
	if race.Enabled {
		t.Skip("starts no goroutine")
	}
	for _, name := range []string{"scene:cube", "scene:gear?triangles=1000", "scene:torus?triangles=1000", "scene:bumpy?triangles=1000"} {
		mesh := sceneMesh(t, name)
		const crease = 35.5 * math.Pi / 180
		inexact := 0
		for i, packed := range Normals(&mesh.Block, math.Cos(crease), 1, inTurn) {
			want, n := specNormal(&mesh.Block, i%3, i/3, crease), Unpack(packed)
			d := want.Sub(mgl64.Vec3{float64(n.X), float64(n.Y), float64(n.Z)}).Len()
			if d > 0.03 {
				t.Fatalf("%s: corner %d of triangle %d has %v, want %v", name, i%3, i/3, n, want)
			}
			if d > 2e-3 {
				inexact++
			}
		}
		if inexact > mesh.Len()/100 {
			t.Errorf("%s: %d of %d corners are inexact", name, inexact, 3*mesh.Len())
		}
	}
}

// plainNormals computes the same as Normals, but without chunks and buckets: it uses a map from positions to corners.
func plainNormals(b *scenes.Block, crease, scale float64) []uint32 {
	w := welder{block: b, crease: newCrease(crease), scale: float32(scale)}
	w.out = make([]uint32, 3*b.Len())
	at := map[[3]float32][]entry{}
	for t := range b.Len() {
		s := w.shapeOf(t)
		if s.packed == 0 {
			continue
		}
		for k, p := range b.Triangle(t) {
			at[p] = append(at[p], entry{corner: uint32(3*t + k), normal: s.packed, weight: s.weights[k]})
		}
	}
	for _, entries := range at {
		all := make([]uint32, len(entries))
		for i := range all {
			all[i] = uint32(i)
		}
		w.smoothVertex(&vertexSets{entries: entries}, all)
	}
	return w.out
}

// TestNormalsPlainly compares Normals with plainNormals, bit by bit. The triangles have few or many different corners,
// which are near or far in the mesh, and fill one chunk or several.
func TestNormalsPlainly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.SampledFrom([]int{0, 1, 5, 100, chunk, chunk + 1, 3*chunk + 7}).Draw(t, "triangles")
		side := rapid.SampledFrom([]int{2, 5, 20, 90, 300}).Draw(t, "side")
		flat := rapid.Float32Range(0, 1).Draw(t, "height")
		near := rapid.SampledFrom([]int{2, 300}).Draw(t, "near")
		crease := rapid.Float64Range(-1, 1).Draw(t, "crease")
		b := randomBlock(rand.New(rand.NewPCG(seed, 0)), n, side, near, flat)
		want := plainNormals(b, crease, 0.5)
		for _, most := range []int{-1, n} {
			for corner, got := range normals(b, crease, 0.5, atOnce, most) {
				if got != want[corner] {
					t.Fatalf("corner %d of %d triangles, up to %d at once: %x, want %x", corner, n, most, got, want[corner])
				}
			}
		}
	})
}

// randomBlock returns n triangles between the points of a bumpy grid of side x side points. The corners of a triangle
// are less than `near` points apart along each axis. A few corners are not finite.
func randomBlock(r *rand.Rand, n, side, near int, height float32) *scenes.Block {
	b := scenes.MakeBlock(n)
	for t := range n {
		x, y := t%side, t/side%side
		var p [3][3]float32
		for k := range p {
			i, j := (x+r.IntN(near))%side, (y+r.IntN(near))%side
			p[k] = [3]float32{float32(i), float32(j), height * float32((i*i+3*j)%4)}
			if i == 0 {
				p[k][0] = float32(math.Copysign(0, float64(r.IntN(2))-0.5))
			}
		}
		if r.IntN(1000) == 0 {
			p[0][1] = float32(math.NaN())
		}
		b.Set(t, p)
	}
	return &b
}

// TestNormalsDoNotDependOnTasks checks that normals are the same if tasks run in another order or at the same time.
func TestNormalsDoNotDependOnTasks(t *testing.T) {
	mesh := sceneMesh(t, "scene:bumpy?triangles=100000")
	mesh.X[0][77] = float32(math.NaN())
	want := normals(&mesh.Block, 0.8, 1, inTurn, 0)
	for _, most := range []int{0, maxDirect} {
		got := normals(&mesh.Block, 0.8, 1, atOnce, most)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("corner %d, up to %d triangles at once: %x, want %x", i, most, got[i], want[i])
			}
		}
	}
	if want[3*77] != 0 || want[3*78] == 0 {
		t.Error("only the triangle that is not finite has no normals")
	}
}

func BenchmarkNormals(b *testing.B) {
	for _, name := range []string{"70k", "1M"} {
		mesh := sceneMesh(b, "scene:bumpy?triangles="+name)
		b.Run("triangles="+name, func(b *testing.B) { benchNormals(b, mesh) })
	}
}

func benchNormals(b *testing.B, mesh *scenes.Mesh) {
	for _, c := range []struct {
		name string
		run  Run
	}{{"run=one", inTurn}, {"run=all", atOnce}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Records(&mesh.Block, mesh.Len(), 0.819, 1, c.run)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(mesh.Len()), "ns/triangle")
		})
	}
}

// TestNormalsBesidePoints checks that triangles without area have no normals and do not change the normals around them.
// It tests meshes in which neighbours follow each other, and the same meshes in random order.
func TestNormalsBesidePoints(t *testing.T) {
	if race.Enabled {
		t.Skip("starts no goroutine")
	}
	nan := float32(math.NaN())
	for _, name := range []string{"scene:gear?triangles=30000", "scene:torus?triangles=20000", "scene:soup?triangles=20000"} {
		mesh := sceneMesh(t, name)
		r := rand.New(rand.NewPCG(1, 2))
		crease := math.Cos(35 * math.Pi / 180)
		for _, shuffle := range []bool{false, true} {
			if shuffle {
				r.Shuffle(mesh.Len(), func(i, j int) {
					a, b := mesh.Triangle(i), mesh.Triangle(j)
					mesh.Set(i, b)
					mesh.Set(j, a)
				})
			}
			want := Normals(&mesh.Block, crease, 1, inTurn)
			var triangles [][3][3]float32
			var at []int
			for i := range mesh.Len() {
				at = append(at, len(triangles))
				p := mesh.Triangle(i)
				triangles = append(triangles, p)
				switch r.IntN(4) {
				case 0:
					triangles = append(triangles, [3][3]float32{p[1], p[1], p[1]})
				case 1:
					triangles = append(triangles, [3][3]float32{p[0], p[2], p[0]}, [3][3]float32{p[0], p[2], {nan, 0, 0}})
				}
			}
			more := scenes.MakeBlock(len(triangles))
			for i, p := range triangles {
				more.Set(i, p)
			}
			got := Normals(&more, crease, 1, inTurn)
			for i, j := range at {
				for k := range 3 {
					if got[3*j+k] != want[3*i+k] || want[3*i+k] == 0 {
						t.Fatalf("%s, shuffled %v: corner %d of triangle %d has %x, without the others %x", name, shuffle, k, i, got[3*j+k], want[3*i+k])
					}
				}
				for j++; j < len(triangles) && (i+1 == len(at) || j < at[i+1]); j++ {
					if got[3*j]|got[3*j+1]|got[3*j+2] != 0 {
						t.Fatalf("%s: a triangle without area has a normal", name)
					}
				}
			}
		}
	}
}

// TestNormalsOfZeros checks that a mesh whose corners are all at one place needs no more memory than other meshes.
func TestNormalsOfZeros(t *testing.T) {
	if race.Enabled {
		t.Skip("it takes more memory under the race detector")
	}
	const n = 1 << 20
	zeros := scenes.MakeBlock(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i, packed := range Normals(&zeros, 0.8, 1, inTurn) {
		if packed != 0 {
			t.Fatalf("corner %d has %x", i, packed)
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 20*n {
		t.Errorf("%d bytes a triangle", bytes/n)
	}
}
