package split_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// drawnOnce is a drawer of one camera whose layers are kept from the first frame on: what is
// left of a frame is the exchange of keys, their merging, light and the way to the root.
type drawnOnce struct {
	renderer *render.Renderer
	mesh     scenes.Source
	cam      render.Camera
	shape    split.Shape
	layer    *render.Layer
	seconds  []float64
	pic      render.Picture
}

func (d *drawnOnce) Shape() split.Shape { return d.shape }

// keptLayer is a layer that stays.
type keptLayer struct{ *drawnOnce }

func (l keptLayer) Row(row int) []byte { return l.layer.Row(row) }
func (l keptLayer) Seconds() []float64 { return l.seconds }
func (l keptLayer) Release()           {}

func (d *drawnOnce) Draw(ctx context.Context, _ int, blocks []int) (split.Layer, error) {
	if d.layer != nil {
		return keptLayer{d}, nil
	}
	d.layer, d.seconds = new(render.Layer), make([]float64, len(blocks))
	_, err := d.renderer.DrawLayer(ctx, d.mesh, d.cam, blocks, d.layer)
	return keptLayer{d}, err
}

func (d *drawnOnce) Needed(_ int, own split.Rows) (split.Rows, error) {
	need, err := d.renderer.Needed(d.cam, render.TileRows(own))
	return split.Rows(need), err
}

func (d *drawnOnce) Light(ctx context.Context, _ int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	stats, err := d.renderer.Light(ctx, d.mesh, d.cam, render.Strip{Own: render.TileRows(own), Layers: layers}, &d.pic)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := d.renderer.PixelRows(render.TileRows(own))
	return d.pic.Pix[4*d.shape.Width*lo : 4*d.shape.Width*hi], int(stats.Covered), nil
}

// steady gives nodes ranges of blocks for good.
type steady struct{}

func (steady) Assign(blocks, nodes int) []int {
	owner := make([]int, blocks)
	for b := range owner {
		owner[b] = b * nodes / blocks
	}
	return owner
}
func (steady) Frame(*split.Picture) []int { return nil }

// BenchmarkExchange is the exchange and merge of a picture of 1920x1080 that is covered wholly,
// and its gathering by the root, among local nodes. The picture is compared with that of one
// process.
//
//	go test ./cluster/split -run '^$' -bench Exchange -benchtime 50x
func BenchmarkExchange(b *testing.B) {
	for _, nodes := range []int{2, 4} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) { benchmarkExchange(b, nodes) })
	}
}

func benchmarkExchange(b *testing.B, nodes int) {
	scene, err := procedural.Parse("scene:bumpy?triangles=500k")
	if err != nil {
		b.Fatal(err)
	}
	mesh, err := scenes.Load(b.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	box, err := scenes.Bounds(b.Context(), mesh, 2)
	if err != nil {
		b.Fatal(err)
	}
	o := render.Options{Width: 1920, Height: 1080, Workers: 1}
	cam, err := render.Fit(box, o.Width, o.Height, render.CameraOptions{Zoom: 4})
	if err != nil {
		b.Fatal(err)
	}
	blocks, err := o.Blocks(mesh)
	if err != nil {
		b.Fatal(err)
	}
	drawer := func() *drawnOnce {
		r, err := render.New(o)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { r.Close() })
		_, tile := r.PixelRows(render.TileRows{Hi: 1})
		return &drawnOnce{renderer: r, mesh: mesh, cam: cam, shape: split.Shape{
			Frames: b.N + 1, Blocks: blocks, Rows: r.TileRows().Len(), Width: o.Width, Height: o.Height, TileHeight: tile}}
	}
	one := drawer()
	var want render.Picture
	if _, err := one.renderer.Frame(b.Context(), mesh, cam, &want); err != nil {
		b.Fatal(err)
	}
	links := link.Options{Secret: secret, Limit: 64 << 20}
	frames := make([]int, b.N+1)
	for k := range frames {
		frames[k] = k
	}
	root, err := split.Listen(split.RootOptions{Links: links, Shape: one.shape, Frames: frames, Owners: steady{}, Window: 1, Least: nodes})
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for i := range nodes {
		d, l := drawer(), links
		l.Name = fmt.Sprintf("node%d", i)
		running.Go(func() {
			if err := split.Node(b.Context(), d, split.NodeOptions{Links: l, Roots: []string{root.Addr()}}); err != nil {
				b.Error(err)
			}
		})
	}
	var took []time.Duration
	var covered, keys float64
	if err := root.Run(b.Context(), func(p *split.Picture) error {
		if !bytes.Equal(p.Pixels, want.Pix) {
			b.Errorf("frame %d differs", p.Frame)
		}
		if p.Frame > 0 {
			took = append(took, p.Elapsed)
		}
		covered, keys = float64(p.Covered), float64(p.Bytes)
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(100*covered/float64(o.Width*o.Height), "%covered")
	b.ReportMetric(keys/1e6, "MB")
}
