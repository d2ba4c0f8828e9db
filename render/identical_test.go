package render_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/vp/isa/isatest"
)

// blockSource is a mesh that is not in memory as one slice, so that the renderer has to read blocks. Unless the
// function before is nil, it is called before each read and may fail.
type blockSource struct {
	mesh   *scenes.Mesh
	before func(block int) error
}

func (s *blockSource) Len() int          { return s.mesh.Len() }
func (s *blockSource) Info() scenes.Info { return s.mesh.Info() }

func (s *blockSource) ReadBlock(i int, dst *scenes.Block) error {
	if s.before != nil {
		if err := s.before(i); err != nil {
			return err
		}
	}
	return s.mesh.ReadBlock(i, dst)
}

// awkward returns a mesh on which a picture could depend on the order of drawing: it has several source blocks,
// coincident faces, large polygons, needles, and corners that are not finite.
func awkward() *scenes.Mesh {
	a := soup(4500, 0.05, 5)
	big := soup(40, 1.5, 6)
	thin := slivers(200, 7)
	m := joined(a, big, thin, big, boxMesh(vec{0, 0, 0}, vec{1, 1, 1}), boxMesh(vec{0.2, 0.2, 0}, vec{0.8, 0.8, 1}))
	m.Colors = make([]uint32, m.Len())
	for t := range m.Colors {
		m.Colors[t] = (uint32(t) * 2654435761) & 0xffffff
	}
	for t := 17; t < m.Len(); t += 211 {
		m.Y[t%3][t] = float32(math.NaN())
		m.X[t%3][t+5] = float32(math.Inf(1))
	}
	return m
}

// closeCamera returns a camera so near to a mesh that a part of the mesh is behind the eye.
func closeCamera(t testing.TB, m scenes.Source, o render.Options) render.Camera {
	cam := fitted(t, m, o, camera.Options{Azimuth: 30, Elevation: 20, FieldOfView: 70})
	cam.Eye = cam.Eye.Add(cam.Target.Sub(cam.Eye).Mul(0.6))
	cam.SetDepthRange(0.01, diagonal(cam.Box))
	return cam
}

// The function same returns an error that names the first difference between two frames, in pixels, depths or counts.
func same(a, b *render.Picture, sa, sb render.Stats) error {
	if !bytes.Equal(a.Pix, b.Pix) {
		for i := range a.Pix {
			if a.Pix[i] != b.Pix[i] {
				return fmt.Errorf("pixel (%d, %d) differs: %v and %v", i/4%a.Width, i/4/a.Width, a.Pix[i&^3:i&^3+4], b.Pix[i&^3:i&^3+4])
			}
		}
	}
	if !slices.Equal(a.Depth, b.Depth) {
		return errors.New("depths differ")
	}
	if counts(sa) != counts(sb) {
		return fmt.Errorf("counts differ: %v and %v", counts(sa), counts(sb))
	}
	return nil
}

// The function counts returns the statistics that depend only on the picture.
func counts(s render.Stats) [8]int64 {
	t := s.Triangles
	return [8]int64{t.In, t.Dropped, t.Culled, t.Clipped, t.Drawn, s.Spans, s.Pixels, s.Covered}
}

// levels returns the names of the instruction sets to compare.
func levels(t isatest.T) []string {
	var all []string
	for _, l := range isatest.Levels(t) {
		all = append(all, l.String())
	}
	return all
}

func TestIdenticalForWorkersAndBlocks(t *testing.T) {
	mesh := awkward()
	for _, samples := range []int{1, 4, 16} {
		for _, color := range []color.Color{nil, rgb(0xcccccc)} {
			o := render.Options{Width: 131, Height: 97, Samples: samples, Color: color, Depth: true, Workers: 1, ISA: "generic"}
			cam := closeCamera(t, mesh, o)
			want, wantStats := drawn(t, mesh, cam, o)
			if wantStats.Covered < 5000 || wantStats.Triangles.Clipped == 0 || wantStats.Triangles.Dropped == 0 {
				t.Fatalf("the scene is too easy: %+v", wantStats)
			}
			for workers := 1; workers <= 8; workers++ {
				blocks := []int{7, 8192, 1, 2, 3, 16, 100, 4096}
				if !*long { // each number of workers draws with two block sizes, and each block size with two numbers of workers
					blocks = []int{blocks[workers-1], blocks[(workers+2)%8]}
				}
				for _, block := range blocks {
					o.Workers, o.BlockSize = workers, block
					got, stats := drawn(t, mesh, cam, o)
					if err := same(got, want, stats, wantStats); err != nil {
						t.Fatalf("samples %d, %d workers, blocks of %d: %v", samples, workers, block, err)
					}
				}
			}
		}
	}
}

func TestIdenticalForInstructionSets(t *testing.T) {
	meshes := referenceMeshes()
	meshes["awkward"] = awkward()
	for name, mesh := range meshes {
		for _, ortho := range []bool{false, true} {
			for _, cull := range []render.Cull{render.CullNone, render.CullBack} {
				o := render.Options{Width: 333, Height: 201, Depth: true, Cull: cull, ISA: "generic"}
				cam := closeCamera(t, mesh, o)
				if ortho {
					cam = fitted(t, mesh, o, camera.Options{Azimuth: 200, Elevation: -30, Orthographic: true, Zoom: 2})
				}
				want, wantStats := drawn(t, mesh, cam, o)
				for _, level := range levels(t) {
					for _, block := range some([]int{37, 0, 5}) {
						o.ISA, o.BlockSize = level, block
						got, stats := drawn(t, mesh, cam, o)
						if err := same(got, want, stats, wantStats); err != nil {
							t.Fatalf("%s, orthographic %v, cull %v, %s, blocks of %d: %v", name, ortho, cull, level, block, err)
						}
					}
				}
			}
		}
	}
}

// TestIdenticalForPinningAndSources checks that pictures do not depend on pinning or on the kind of source.
func TestIdenticalForPinningAndSources(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 200, Height: 150, Depth: true, Workers: 1}
	cam := closeCamera(t, mesh, o)
	want, wantStats := drawn(t, mesh, cam, o)
	for _, source := range []scenes.Source{mesh, &blockSource{mesh: mesh}} {
		for _, block := range []int{1, 1000, 4096} {
			o := render.Options{Width: 200, Height: 150, Depth: true, Workers: 2, Pin: true, BlockSize: block}
			got, stats := drawn(t, source, cam, o)
			if err := same(got, want, stats, wantStats); err != nil {
				t.Errorf("%T, blocks of %d: %v", source, block, err)
			}
		}
	}
}

// TestIdenticalFrameAfterFrame checks that a frame affects the next only by predictions of which polygons are hidden.
// The first frame is complete, cancelled, or one whose source failed.
func TestIdenticalFrameAfterFrame(t *testing.T) {
	mesh, other := awkward(), bumpy(120, 60)
	for i, policy := range []lb.Policy{lb.Never, lb.CostEffective, lb.Always, lb.Never} {
		samples := []int{1, 4}[i/2]
		o := render.Options{Width: 300, Height: 250, Samples: samples, Depth: true, Workers: 3, Leaves: policy}
		cam := closeCamera(t, mesh, o)
		want, wantStats := drawn(t, mesh, cam, o)
		r := newRenderer(t, o)
		pic := new(render.Picture)
		between := []struct {
			name string
			do   func() error
		}{
			{"itself", func() error { return nil }},
			{"another mesh", func() error {
				_, err := r.Frame(t.Context(), other, fitted(t, other, o, camera.Options{}), pic)
				return err
			}},
			{"a cancelled frame", func() error { return wantError(cancelledFrame(t, r, mesh, cam), context.Canceled) }},
			{"a failed frame", func() error { return wantError(failedFrame(t, r, mesh, cam), errTest) }},
			{"an empty mesh", func() error {
				_, err := r.Frame(t.Context(), meshOf(), cam, pic)
				return wantError(err, render.ErrBlank)
			}},
		}
		for _, b := range between {
			if err := b.do(); err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
			stats, err := r.Frame(t.Context(), mesh, cam, pic)
			if err != nil {
				t.Fatal(err)
			}
			if policy != lb.Never { // counts depend on predictions
				stats = wantStats
			}
			if err := same(pic, want, stats, wantStats); err != nil {
				t.Errorf("samples %d, after %s: %v", samples, b.name, err)
			}
		}
	}
}

var errTest = errors.New("a block that cannot be read")

// wantError returns an error unless err is want.
func wantError(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("got error %v, want %v", err, want)
}

// cancelledFrame draws a frame that is called off after its first block.
func cancelledFrame(t *testing.T, r *render.Renderer, mesh *scenes.Mesh, cam render.Camera) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := &blockSource{mesh: mesh, before: func(int) error { cancel(); return nil }}
	_, err := r.Frame(ctx, source, cam, new(render.Picture))
	return err
}

// failedFrame draws a frame whose second block cannot be read.
func failedFrame(t *testing.T, r *render.Renderer, mesh *scenes.Mesh, cam render.Camera) error {
	source := &blockSource{mesh: mesh, before: func(block int) error {
		if block == 1 {
			return errTest
		}
		return nil
	}}
	_, err := r.Frame(t.Context(), source, cam, new(render.Picture))
	return err
}
