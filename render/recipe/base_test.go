package recipe_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/internal/budget"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/recipe"
)

// TestBase draws several recipes with a mesh that was read once. The files must be the same as if the mesh were read
// each time.
func TestBase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cube.stl")
	clitest.Write(t, file, clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 1)))
	plain := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 80, Height: 60}}
	cut, unit, fast, scene := plain, plain, plain, plain
	cut.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 40, Percent: true, Keep: '<'}}
	cut.Lines.Edges = true
	unit.Unit, unit.Lines.Bounds = "mm", true
	fast.Fast()
	scene.Meshes = []recipe.Mesh{{File: "scene:knot?triangles=3000"}}
	var d recipe.Drawer
	base, err := d.ReadBase(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []recipe.Picture{plain, cut, unit, plain, fast, cut, scene} {
		var got, want bytes.Buffer
		if err := d.BasePNG(t.Context(), &got, base, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("recipe %d has other bytes", i)
		}
	}
	if base.Fits(scene) || !base.Fits(cut) || base.Mesh().Unit != 0 {
		t.Error("the base was changed")
	}
}

// TestBaseTime checks that a mesh that was read at one time of a clip is not used for another time.
func TestBaseTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slide.gltf")
	clitest.Write(t, file, clitest.SlidingSquare())
	cube := recipe.Mesh{File: "scene:cube", Move: recipe.Point{4, 0, 0}}
	still := recipe.Picture{Meshes: []recipe.Mesh{{File: file}, cube}, Size: recipe.Size{Width: 80, Height: 60}}
	one, three := still, still
	one.Time, three.Time, three.Clip = new(1.0), new(3.0), "slide"
	var d recipe.Drawer
	base, err := d.ReadBase(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if !base.Fits(one) || base.Fits(still) || base.Fits(three) {
		t.Error("the base fits other times, or not its own")
	}
	seen := map[string]bool{}
	for i, p := range []recipe.Picture{one, three, still} {
		var got, want bytes.Buffer
		if err := d.BasePNG(t.Context(), &got, base, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) || seen[want.String()] {
			t.Errorf("recipe %d has other bytes, or those of another time", i)
		}
		seen[want.String()] = true
	}
	still.Clip = "jump"
	if _, err := d.ReadBase(t.Context(), still); err == nil {
		t.Error("a clip that is not there is read")
	}
}

// TestInput draws pictures with several cameras, sizes and numbers of samples from one input, which has a triangle far
// away. The files must be the same as if the mesh were read each time.
func TestInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "far.stl")
	clitest.Write(t, file, clitest.STL(append(clitest.Cube([3]float32{1, 2, 3}, 1), clitest.Cube([3]float32{3e7, 2, 3}, 1)[0])))
	whole := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 80, Height: 60}}
	small, turned, placed, coarse := whole, whole, whole, whole
	small.Size = recipe.Size{Width: 33, Height: 21}
	turned.Camera.View, turned.Lines.Axes = &recipe.View{Azimuth: 200, Elevation: 50}, true
	placed.Camera.Eye, placed.Camera.Target = &recipe.Point{8, -9, 12}, &recipe.Point{1, 2, 3}
	coarse.Look.Samples = 1
	var d recipe.Drawer
	base, err := d.ReadBase(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.OpenBase(t.Context(), base, whole, whole.RenderOptions())
	if err != nil {
		t.Fatal(err)
	}
	var stills recipe.Stills
	defer stills.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	for i, p := range []recipe.Picture{placed, whole, placed, small, turned, coarse, placed, whole} {
		var got, want, kept bytes.Buffer
		if err := d.InputPNG(t.Context(), &got, in, p); err != nil {
			t.Fatal(err)
		}
		if err := stills.InputPNG(t.Context(), &d, &kept, in, p); err != nil || !bytes.Equal(kept.Bytes(), got.Bytes()) {
			t.Errorf("picture %d has other bytes in memory of the one before: %v", i, err)
		}
		if i%3 == 1 {
			if err := stills.InputPNG(ended, &d, io.Discard, in, p); err == nil {
				t.Error("a picture that was called off is written")
			}
		}
		if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("picture %d has other bytes", i)
		}
	}
}

// asked is an account that records requests for memory. It refuses a request that is larger than its field enough.
type asked struct {
	budget.Account
	enough  int64
	sums    []int64
	samples []int
}

func (a *asked) Lacks(o render.Options, more ...int64) *recipe.Shortage {
	a.sums, a.samples = append(a.sums, budget.Sum(more)), append(a.samples, o.Samples)
	if budget.Sum(more) > a.enough {
		return new(recipe.Shortage)
	}
	return nil
}

// TestStillsRoom checks that the memory of a finished picture is stored for the next picture only if enough memory is
// left.
func TestStillsRoom(t *testing.T) {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:cube"}}, Size: recipe.Size{Width: 80, Height: 60}}
	p.Look.Samples = 4
	memory := &asked{enough: 1 << 40}
	d := recipe.Drawer{Memory: memory, Workers: 2}
	base, err := d.ReadBase(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.OpenBase(t.Context(), base, p, p.RenderOptions())
	if err != nil {
		t.Fatal(err)
	}
	var stills recipe.Stills
	defer stills.Close()
	for _, c := range []struct {
		enough int64
		asks   int // expected number of requests, which is 0 if no memory is kept
	}{{1 << 40, 1}, {in.Held + 1<<20, 1}, {1 << 40, 0}} {
		if memory.enough = 1 << 40; c.asks > 0 {
			if err := stills.InputPNG(t.Context(), &d, io.Discard, in, p); err != nil {
				t.Fatal(err)
			}
		}
		memory.enough, memory.sums = c.enough, nil
		stills.MakeRoom(&d, in, p)
		if len(memory.sums) != c.asks || c.asks > 0 && memory.sums[0] < in.Held+2*budget.WorkerBytes {
			t.Errorf("asked for %d bytes", memory.sums)
		}
	}
	// MakeRoom requests memory for the finer picture, in addition to the mesh.
	if err := stills.InputPNG(t.Context(), &d, io.Discard, in, p); err != nil {
		t.Fatal(err)
	}
	memory.sums, memory.samples = nil, nil
	fine := p
	fine.Look.Samples = 0
	stills.MakeRoom(&d, in, p)
	in.Held += 1000
	stills.MakeRoom(&d, in, fine)
	in.Held -= 1000
	if !slices.Equal(memory.samples, []int{4, 16}) || memory.sums[1] != memory.sums[0]+1000 {
		t.Errorf("asked for %d bytes, %d samples", memory.sums, memory.samples)
	}
}
