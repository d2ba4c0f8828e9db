package split_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render"
	"lockstep/render/png"
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
	bands    *png.Bands
	encoder  png.Encoder
}

func (d *drawnOnce) Shape() split.Shape { return d.shape }

// keptLayer is a layer that stays.
type keptLayer struct{ *drawnOnce }

func (l keptLayer) Row(row int) []byte  { return l.layer.Row(row) }
func (l keptLayer) Samples(row int) int { return l.layer.Samples(row) }
func (l keptLayer) Seconds() []float64  { return l.seconds }
func (l keptLayer) Release()            {}

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

func (d *drawnOnce) Encode(_ context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	return d.encoder.AppendBands(dst, d.bands, lo, hi, pixels, nil)
}

// fileOptions are those of files.
var fileOptions = &png.Options{Channels: png.ChannelsRGB}

// Who makes files of pictures.
const (
	byNone   = "" // pixels are at the root
	byRoot   = "root"
	byOwners = "owners"
)

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
//	go test ./cluster/split -run '^$' -bench Exchange/ -benchtime 50x
func BenchmarkExchange(b *testing.B) {
	for _, nodes := range []int{2, 4} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) { benchmarkExchange(b, nodes, byNone) })
	}
}

// BenchmarkExchangeFiles is the same, and the picture's file: the root encodes it from pixels, or nodes
// their rows of it.
//
//	go test ./cluster/split -run '^$' -bench ExchangeFiles/nodes=4 -benchtime 50x
func BenchmarkExchangeFiles(b *testing.B) {
	for _, nodes := range []int{2, 4} {
		for _, by := range []string{byRoot, byOwners} {
			b.Run(fmt.Sprintf("nodes=%d/by=%s", nodes, by), func(b *testing.B) { benchmarkExchange(b, nodes, by) })
		}
	}
}

// newExchange returns what makes drawers of so many frames of the picture.
func newExchange(b testing.TB, frames int, by string) func() *drawnOnce {
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
	bands, err := png.NewBands(o.Width, o.Height, fileOptions)
	if err != nil {
		b.Fatal(err)
	}
	band := 0
	if by == byOwners {
		band = bands.Rows()
	}
	return func() *drawnOnce {
		r, err := render.New(o)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { r.Close() })
		_, tile := r.PixelRows(render.TileRows{Hi: 1})
		return &drawnOnce{renderer: r, mesh: mesh, cam: cam, bands: bands, shape: split.Shape{
			Frames: frames, Blocks: blocks, Rows: r.TileRows().Len(), Width: o.Width, Height: o.Height, TileHeight: tile, Slab: band}}
	}
}

// Frames after the first few are drawn, exchanged and gathered in memory of those before, whose
// messages must be whole until they are used: pictures are compared. Each frame has 11 MB of them,
// 168 MiB in all. Where nodes wait for a processor more of them are under way at once, each in memory
// of its own: 83 MiB have been seen.
func TestExchangeUsesMemoryAgain(t *testing.T) {
	const frames, most = 16, 120 << 20
	for _, by := range []string{byNone, byOwners} {
		var before, after runtime.MemStats
		m := exchange(t, frames, 2, by, func() { runtime.ReadMemStats(&before) })
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most || len(m.took) != frames {
			t.Errorf("files by %q: %d bytes are allocated for %d frames, want at most %d", by, got, len(m.took), most)
		}
	}
}

// exchange draws frames by local nodes, and one before them, after which it calls began.
func exchange(b testing.TB, frames, nodes int, by string, began func()) *measured {
	drawer := newExchange(b, frames+1, by)
	links := link.Options{Secret: secret, Limit: 64 << 20}
	m := newMeasured(b, drawer(), frames+1, nodes, by, "", links)
	defer m.root.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for i := range nodes {
		d, l := drawer(), links
		l.Name = fmt.Sprintf("node%d", i)
		running.Go(func() {
			if err := split.Node(b.Context(), d, split.NodeOptions{Links: l, Roots: []string{m.root.Addr()}}); err != nil {
				b.Error(err)
			}
		})
	}
	m.began = began
	m.run(b)
	return m
}

func benchmarkExchange(b *testing.B, nodes int, by string) {
	m := exchange(b, b.N, nodes, by, b.ResetTimer)
	b.ReportMetric(m.quantile(0.5), "median-ms")
	b.ReportMetric(m.quantile(0.9), "p90-ms")
	b.ReportMetric(m.quantile(1), "max-ms")
	b.ReportMetric(m.covered, "%covered")
	b.ReportMetric(m.megabytes, "MB")
	b.ReportMetric(float64(m.wanted.Len())/1e6, "file-MB")
}

// A measured root notes how long frames take, whose pixels or files it compares with those of one process.
type measured struct {
	root               *split.Root
	by                 string // who makes files
	want               render.Picture
	file, wanted       bytes.Buffer
	bands              *png.Bands
	encoder            png.Encoder
	took               []time.Duration
	began              func()  // unless nil, is called after the first frame
	covered, megabytes float64 // per cent of the pixels; of keys
}

func newMeasured(b testing.TB, one *drawnOnce, frames, nodes int, by, address string, links link.Options) *measured {
	m := &measured{by: by, bands: one.bands}
	if _, err := one.renderer.Frame(b.Context(), one.mesh, one.cam, &m.want); err != nil {
		b.Fatal(err)
	}
	if err := m.encode(&m.wanted, m.want.Pix); err != nil {
		b.Fatal(err)
	}
	list := make([]int, frames)
	for k := range list {
		list[k] = k
	}
	var err error
	m.root, err = split.Listen(split.RootOptions{Address: address, Links: links, Shape: one.shape, Frames: list, Owners: steady{}, Window: 1, MinNodes: nodes, Check: checkBands(m.bands)})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// checkBands is RootOptions.Check of bands.
func checkBands(bands *png.Bands) func(part []byte, lo, hi int, whole bool) error {
	return func(part []byte, lo, hi int, whole bool) error {
		if whole {
			return bands.Verify(part, lo, hi)
		}
		return bands.Check(part, lo, hi)
	}
}

// encode encodes a picture by all processors, as the root of a film does.
func (m *measured) encode(w *bytes.Buffer, pix []byte) error {
	o := *fileOptions
	o.Run = func(n int, do func(i int)) {
		var all sync.WaitGroup
		var next atomic.Int64
		for range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
					do(int(i))
				}
			})
		}
		all.Wait()
	}
	w.Reset()
	return m.encoder.EncodeRGBA(w, pix, 4*m.want.Width, m.want.Width, m.want.Height, &o)
}

// make makes the file of a picture from what the nodes sent.
func (m *measured) make(p *split.Picture) error {
	switch m.by {
	case byRoot:
		return m.encode(&m.file, p.Pixels)
	case byOwners:
		m.file.Reset()
		return m.bands.Assemble(&m.file, p.Parts, fileOptions)
	}
	return nil
}

// run draws the frames; the first one, for which blocks are drawn, does not count.
func (m *measured) run(b testing.TB) {
	if err := m.root.Run(b.Context(), func(p *split.Picture) error {
		start := time.Now()
		if err := m.make(p); err != nil {
			return err
		}
		took := p.Elapsed + time.Since(start)
		if m.by == byNone && !bytes.Equal(p.Pixels, m.want.Pix) || m.by != byNone && !bytes.Equal(m.file.Bytes(), m.wanted.Bytes()) {
			b.Errorf("frame %d differs", p.Frame)
		}
		switch {
		case p.Frame > 0:
			m.took = append(m.took, took)
		case m.began != nil:
			m.began()
		}
		m.covered, m.megabytes = 100*float64(p.Covered)/float64(m.want.Width*m.want.Height), float64(p.Bytes)/1e6
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}

// quantile returns the milliseconds that such a part of the frames took at most.
func (m *measured) quantile(part float64) float64 {
	slices.Sort(m.took)
	return float64(m.took[min(int(part*float64(len(m.took))), len(m.took)-1)].Microseconds()) / 1000
}
