package render

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// panes returns a block of rectangles, one behind the other, that fill a picture seen along +y.
func panes(n int) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(2 * n)}
	for i := range n {
		y := float32(i) / float32(n)
		m.Set(2*i, [3][3]float32{{0, y, 0}, {1, y, 0}, {1, y, 1}})
		m.Set(2*i+1, [3][3]float32{{0, y, 0}, {1, y, 1}, {0, y, 1}})
	}
	return m
}

// inFront returns a camera in front of a box that looks at the box's middle. Without magnification, the height of the
// box fills the central nine tenths of the picture.
func inFront(box scenes.Box, orthographic bool, zoom float64) Camera {
	size, middle := box.Size(), mgl64.Vec3(box.Center())
	c := Camera{
		Target: middle, Right: mgl64.Vec3{1, 0, 0}, Up: mgl64.Vec3{0, 0, 1}, Forward: mgl64.Vec3{0, 1, 0}, Zenith: mgl64.Vec3{0, 0, 1},
		Orthographic: orthographic, Box: box,
	}
	away := 2*size[2] + size[1]
	c.Eye = mgl64.Vec3{middle[0], middle[1] - away, middle[2]}
	c.Magnification = zoom * 0.9 / size[2]
	if !orthographic {
		c.Magnification *= away - size[1]/2 // the nearest side of the box determines the scale
	}
	c.SetDepthRange(away-size[1]/2, away+size[1]/2)
	return c
}

// A watch counts the samples that the kernels of a renderer draw after a context has ended. The first call of one
// kernel ends the context.
type watch struct {
	cancel  context.CancelFunc
	at      string // name of the kernel that ends the context
	ended   bool
	samples int
	longest int // largest number of samples of a call of the z-buffer
}

func (w *watch) saw(kernel string, samples int) {
	if w.ended {
		w.samples += samples
	}
	if kernel == w.at && !w.ended {
		w.ended = true
		w.cancel()
	}
}

func (w *watch) over(set kernel.Loops) *kernel.Loops {
	zSpans, merge, resolve, shader, scan := set.ZBuffer, set.Merge, set.Resolve, set.Shade, set.ScanConvert
	set.Shade = func(s *shade.Shader, p *array.Polygons, colors []uint32) {
		shader(s, p, colors)
		w.saw("Shade", 0)
	}
	set.ScanConvert = func(s *scanline.Converter, p *array.Polygons, out *array.Spans, width, stride int32) bool {
		finished := scan(s, p, out, width, stride)
		w.saw("ScanConvert", out.N) // each span has at least a sample
		return finished
	}
	set.ZBuffer = func(frame []uint64, s *array.Spans) (tested, runs int64) {
		tested, runs = zSpans(frame, s)
		w.longest = max(w.longest, int(tested))
		w.saw("ZBuffer", int(tested))
		return tested, runs
	}
	set.Merge = func(dst, src []uint64) {
		merge(dst, src)
		w.saw("Merge", len(dst))
	}
	set.Resolve = func(pix []byte, keys []uint64, background uint32) int {
		w.saw("Resolve", len(keys))
		return resolve(pix, keys, background)
	}
	return &set
}

// TestCancelWithinABlock ends contexts while the pixels of one block are drawn, and while frames are merged. Workers
// must stop after a few milliseconds of work. The next frame shows less of the mesh, and must contain nothing of the
// cancelled frame.
func TestCancelWithinABlock(t *testing.T) {
	const width, height = 4000, 1000
	mesh := panes(24)
	cam := inFront(mesh.Bounds(), true, 5)
	small := inFront(mesh.Bounds(), true, 0.5)
	for _, balance := range []Balance{BalanceCost, BalanceNever} {
		for at, most := range map[string]int{
			"ZBuffer": framebuffer.CheckInterval + width,
			"Resolve": 2 * tile.Height * width,
			// A piece of this size may be in progress.
			"ScanConvert": framebuffer.CheckInterval + width,
			"Shade":       0,
		} {
			t.Run(fmt.Sprintf("balance=%v/%s", balance, at), func(t *testing.T) {
				// Timed frames store no spans, so spans reach the z-buffer at once.
				r, err := New(Options{Width: width, Height: height, Workers: 1, Balance: balance, TimeBlocks: at == "ZBuffer"})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				var whole, pic Picture
				if full, err := r.Frame(t.Context(), mesh, cam, &whole); err != nil || full.Covered != width*height {
					t.Fatalf("%v, %d pixels covered", err, full.Covered)
				}
				want, err := r.Frame(t.Context(), mesh, small, &whole)
				if err != nil {
					t.Fatal(err)
				}
				plain := r.engine.kernels
				ctx, cancel := context.WithCancel(t.Context())
				w := watch{cancel: cancel, at: at}
				r.engine.kernels = w.over(*plain)
				if _, err := r.Frame(ctx, mesh, cam, &pic); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if !w.ended || w.samples > most {
					t.Errorf("%d samples after the context had ended, want at most %d", w.samples, most)
				}
				if w.longest > framebuffer.MaxUnchecked {
					t.Errorf("%d samples at a time, want at most %d", w.longest, framebuffer.MaxUnchecked)
				}
				r.engine.kernels = plain
				stats, err := r.Frame(t.Context(), mesh, small, &pic)
				if err != nil || stats.Covered != want.Covered || stats.Pixels != want.Pixels || string(pic.Pix) != string(whole.Pix) {
					t.Errorf("the next frame: %v, %d pixels covered, %d tested; want %d, %d", err, stats.Covered, stats.Pixels, want.Covered, want.Pixels)
				}
			})
		}
	}
}

// TestCancelBetweenTiles ends a context while the frames of several workers are merged.
func TestCancelBetweenTiles(t *testing.T) {
	const width, height, workers = 4000, 64, 3
	r, err := New(Options{Width: width, Height: height, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mesh := panes(1)
	cam := inFront(mesh.Bounds(), true, 100)
	var pic Picture
	if _, err := r.Frame(t.Context(), mesh, cam, &pic); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := watch{cancel: cancel, at: "Merge"}
	r.engine.kernels = w.over(*r.engine.kernels)
	r.engine.job.schedule = newSchedule(&r.engine.options, &request{})
	r.engine.job.done = ctx.Done()
	r.engine.beginMerge()
	for _, f := range r.engine.private.Buffers() {
		f.TouchTiles(0, f.TilesX-1, 0, f.TilesY-1)
	}
	if r.engine.merge.Run(0, nil) || !w.ended || w.samples > 16*tile.Width*tile.Height*workers {
		t.Errorf("%d samples after the context had ended", w.samples)
	}
	for _, f := range r.engine.private.Buffers() {
		f.Clear(func() bool { return false })
		for tile, touched := range f.Touched {
			if touched {
				t.Fatalf("tile %d is marked", tile)
			}
		}
	}
}
