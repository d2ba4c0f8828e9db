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
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/render/png"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// A drawnOnce is a drawer of one camera that keeps its layers after the first frame. So later frames measure only the
// exchange of keys, merging, lighting and the transfer to the root.
type drawnOnce struct {
	renderer *render.Renderer
	mesh     scenes.Source
	cam      render.Camera
	shape    split.Shape
	layer    *part.Layer
	seconds  []float64
	pic      render.Picture
	bands    *png.Bands
	encoder  png.Encoder
}

func (d *drawnOnce) Shape() split.Shape { return d.shape }

// A keptLayer is a layer that is never released.
type keptLayer struct{ *drawnOnce }

func (l keptLayer) Row(row int) []byte  { return l.layer.Row(row) }
func (l keptLayer) Samples(row int) int { return l.layer.Samples(row) }
func (l keptLayer) Seconds() []float64  { return l.seconds }
func (l keptLayer) Release()            {}

func (d *drawnOnce) Draw(ctx context.Context, _ int, blocks []int) (split.Layer, error) {
	if d.layer != nil {
		return keptLayer{d}, nil
	}
	d.layer, d.seconds = new(part.Layer), make([]float64, len(blocks))
	_, err := part.DrawLayer(ctx, d.renderer, d.mesh, d.cam, blocks, d.layer)
	return keptLayer{d}, err
}

func (d *drawnOnce) Needed(_ int, own split.Rows) (split.Rows, error) {
	need, err := part.Needed(d.renderer, d.cam, part.TileRows(own))
	return split.Rows(need), err
}

func (d *drawnOnce) Light(ctx context.Context, _ int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	stats, err := part.Light(ctx, d.renderer, d.mesh, d.cam, part.Strip{Own: part.TileRows(own), Layers: layers}, &d.pic)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := part.Pixels(d.renderer, part.TileRows(own))
	return d.pic.Pix[4*d.shape.Width*lo : 4*d.shape.Width*hi], int(stats.Covered), nil
}

func (d *drawnOnce) Encode(_ context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	return d.encoder.AppendBands(dst, d.bands, lo, hi, pixels, nil)
}

// fileOptions are the PNG options of the pictures' files.
var fileOptions = &png.Options{Channels: png.ChannelsRGB}

// Names of the processes that encode the files of pictures.
const (
	byNone   = "" // no process: the root receives pixels
	byRoot   = "root"
	byOwners = "owners"
)

// fixedOwners assigns a range of blocks to each node and never changes the owners.
type fixedOwners struct{}

func (fixedOwners) Assign(blocks, nodes int) []int {
	owner := make([]int, blocks)
	for b := range owner {
		owner[b] = b * nodes / blocks
	}
	return owner
}
func (fixedOwners) Frame(*split.Picture) []int { return nil }

// BenchmarkExchange measures how local nodes exchange and merge the keys of a fully covered picture of 1920x1080
// pixels, and send it to the root. The picture is compared with the picture of one process.
//
//	go test ./cluster/split -run '^$' -bench Exchange/ -benchtime 50x
func BenchmarkExchange(b *testing.B) {
	for _, nodes := range []int{2, 4} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) { benchmarkExchange(b, nodes, byNone) })
	}
}

// BenchmarkExchangeFiles is like BenchmarkExchange, but also encodes the picture's file. Either the root encodes it
// from pixels, or each node encodes its own rows.
//
//	go test ./cluster/split -run '^$' -bench ExchangeFiles/nodes=4 -benchtime 50x
func BenchmarkExchangeFiles(b *testing.B) {
	for _, nodes := range []int{2, 4} {
		for _, by := range []string{byRoot, byOwners} {
			b.Run(fmt.Sprintf("nodes=%d/by=%s", nodes, by), func(b *testing.B) { benchmarkExchange(b, nodes, by) })
		}
	}
}

// newExchange returns a function that makes drawers of the given number of frames.
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
	cam, err := camera.Fit(box, o.Width, o.Height, camera.Options{Zoom: 4})
	if err != nil {
		b.Fatal(err)
	}
	blocks, err := part.Blocks(o, mesh)
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
		_, tile := part.Pixels(r, part.TileRows{Hi: 1})
		return &drawnOnce{renderer: r, mesh: mesh, cam: cam, bands: bands, shape: split.Shape{
			Frames: frames, Blocks: blocks, Rows: part.All(r).Len(), Width: o.Width, Height: o.Height, TileHeight: tile, Slab: band}}
	}
}

// TestExchangeUsesMemoryAgain checks that frames after the first few reuse memory. Reuse must not overwrite messages
// that are still needed, so the test compares pictures. The messages of all frames have 168 MiB, 11 MB for each frame.
// If nodes wait for a processor, more messages are in transit at once, each in memory of its own. In such cases up to
// 83 MiB were allocated.
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

// exchange draws frames with local nodes. It draws one more frame before them and then calls began.
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

// A measured is a root that measures the times of frames, and compares their pixels or files with the results of one
// process.
type measured struct {
	root               *split.Root
	by                 string // processes that encode files
	want               render.Picture
	file, wanted       bytes.Buffer
	bands              *png.Bands
	encoder            png.Encoder
	took               []time.Duration
	began              func()  // called after the first frame; may be nil
	covered, megabytes float64 // covered pixels in per cent; size of the keys in MB
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
	m.root, err = split.Listen(split.RootOptions{Address: address, Links: links, Shape: one.shape, Frames: list, Owners: fixedOwners{}, Window: 1, MinNodes: nodes, Check: checkBands(m.bands)})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// checkBands returns a RootOptions.Check for slabs.
func checkBands(bands *png.Bands) func(part []byte, lo, hi int, whole bool) error {
	return func(part []byte, lo, hi int, whole bool) error {
		if whole {
			return bands.Verify(part, lo, hi)
		}
		return bands.Check(part, lo, hi)
	}
}

// encode encodes a picture with all processors, as the root of a film does.
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

// make assembles the file of a picture from the parts that nodes sent.
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

// The method run draws the frames. The first frame is not measured, because its blocks are drawn.
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

// quantile returns the time in milliseconds that the fraction part of the frames did not exceed.
func (m *measured) quantile(part float64) float64 {
	slices.Sort(m.took)
	return float64(m.took[min(int(part*float64(len(m.took))), len(m.took)-1)].Microseconds()) / 1000
}
