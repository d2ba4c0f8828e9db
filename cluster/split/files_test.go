package split_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/render/png"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// A cameras is a drawer that shows a mesh from several sides.
type cameras struct {
	drawnOnce
	cams []render.Camera
	free []*part.Layer
}

type cameraLayer struct {
	*part.Layer
	seconds []float64
	owner   *cameras
}

func (l *cameraLayer) Seconds() []float64 { return l.seconds }
func (l *cameraLayer) Release()           { l.owner.free = append(l.owner.free, l.Layer) }

func (d *cameras) Draw(ctx context.Context, frame int, blocks []int) (split.Layer, error) {
	l := &cameraLayer{Layer: new(part.Layer), seconds: make([]float64, len(blocks)), owner: d}
	if n := len(d.free); n > 0 {
		l.Layer, d.free = d.free[n-1], d.free[:n-1]
	}
	_, err := part.DrawLayer(ctx, d.renderer, d.mesh, d.cams[frame], blocks, l.Layer)
	return l, err
}

func (d *cameras) Needed(frame int, own split.Rows) (split.Rows, error) {
	d.cam = d.cams[frame]
	return d.drawnOnce.Needed(frame, own)
}

func (d *cameras) Light(ctx context.Context, frame int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	d.cam = d.cams[frame]
	return d.drawnOnce.Light(ctx, frame, own, layers)
}

// randomOwners assigns every block to a random node after every frame.
type randomOwners struct{ random *rand.Rand }

func (s randomOwners) Assign(blocks, nodes int) []int {
	owner := make([]int, blocks)
	for b := range owner {
		owner[b] = s.random.IntN(nodes)
	}
	return owner
}

func (s randomOwners) Frame(p *split.Picture) []int { return s.Assign(len(p.Owner), p.Nodes) }

// newCameras returns a function that makes drawers of a lit picture with occlusion whose file has several slabs.
func newCameras(t *testing.T, frames int) func() *cameras {
	scene, err := procedural.Parse("scene:gear?triangles=20k")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := render.Options{Width: 509, Height: 611, Workers: 1, Light: render.LightStudio, Occlusion: true, BlockSize: 512}
	bands, err := png.NewBands(o.Width, o.Height, &png.Options{Channels: png.ChannelsRGBA})
	if err != nil {
		t.Fatal(err)
	}
	var cams []render.Camera
	for k := range frames {
		cam, err := camera.Fit(mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 50 * float64(k), Elevation: 20})
		if err != nil {
			t.Fatal(err)
		}
		cams = append(cams, cam)
	}
	return func() *cameras {
		r, err := render.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		blocks, err := part.Blocks(r.Options(), mesh)
		if err != nil {
			t.Fatal(err)
		}
		_, tile := part.Pixels(r, part.TileRows{Hi: 1})
		return &cameras{cams: cams, drawnOnce: drawnOnce{renderer: r, mesh: mesh, bands: bands, shape: split.Shape{
			Frames: frames, Blocks: blocks, Rows: part.All(r).Len(), Width: o.Width, Height: o.Height, TileHeight: tile, Slab: bands.Rows()}}}
	}
}

// TestFiles checks that files equal the files of one process, byte for byte. After every frame, blocks and rows change
// their nodes.
func TestFiles(t *testing.T) {
	const frames = 6
	drawer := newCameras(t, frames)
	one := drawer()
	var want [frames][]byte
	for k := range want {
		var file bytes.Buffer
		if _, err := one.renderer.Frame(t.Context(), one.mesh, one.cams[k], &one.pic); err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(&file, one.pic.Image(), &png.Options{Channels: png.ChannelsRGBA}); err != nil {
			t.Fatal(err)
		}
		want[k] = file.Bytes()
	}
	for _, nodes := range []int{1, 2, 3, 5, 8} {
		o := split.RootOptions{Links: link.Options{Secret: secret, Limit: 16 << 20}, Shape: one.shape, Owners: randomOwners{rand.New(rand.NewPCG(uint64(nodes), 4))}, MinNodes: nodes, Check: checkBands(one.bands)}
		for k := range frames {
			o.Frames = append(o.Frames, k)
		}
		root, err := split.Listen(o)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, nodes)
		for n := range nodes {
			d := drawer()
			go func() {
				ended <- split.Node(t.Context(), d, split.NodeOptions{Links: link.Options{Name: fmt.Sprint("n", n), Secret: secret, Limit: 16 << 20}, Roots: []string{root.Addr()}})
			}()
		}
		if err := root.Run(t.Context(), func(p *split.Picture) error {
			var file bytes.Buffer
			if err := one.bands.Assemble(&file, p.Parts, nil); err != nil {
				return err
			}
			if !bytes.Equal(file.Bytes(), want[p.Frame]) {
				t.Errorf("frame %d by %d nodes is another file", p.Frame, p.Nodes)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for range nodes {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		root.Close()
	}
}

// A faultyEncoder encodes wrongly after some parts.
type faultyEncoder struct {
	encodingDrawer
	parts, good int
}

func (d *faultyEncoder) Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	part, err := d.encodingDrawer.Encode(ctx, dst, lo, hi, pixels)
	if d.parts++; d.parts > d.good && err == nil {
		part = part[:len(part)-1]
	}
	return part, err
}

// TestWrongParts checks that a node that sends a wrong part is expelled. The report must be one line that names the
// node, and the film must continue.
func TestWrongParts(t *testing.T) {
	d := newToy()
	d.shape.Slab = 5
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 20))}, split.RootOptions{MinNodes: 2})
	f.node(context.Background(), "good", d)
	bad := f.node(context.Background(), "bad", &faultyEncoder{encodingDrawer: encodingDrawer{d}, good: 3})
	if err := f.run(context.Background(), d, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-f.reports; !strings.Contains(err.Error(), "node bad is lost: malformed message: part of frame ") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if err := <-bad; err == nil || !strings.Contains(err.Error(), "malformed message: part of frame ") {
		t.Errorf("the node hears %v", err)
	}
}

// A nonEncoder is a drawer that has slabs, but cannot encode slabs.
type nonEncoder struct{ split.Drawer }

// TestNoEncoder checks that a node that cannot encode slabs gets an error.
func TestNoEncoder(t *testing.T) {
	d := newToy()
	d.shape.Slab = 5
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 21))}, split.RootOptions{})
	if err := <-f.node(context.Background(), "n", nonEncoder{d}); err == nil || !strings.Contains(err.Error(), "does not encode") {
		t.Error(err)
	}
}
