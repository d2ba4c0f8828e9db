package split_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/cluster/link"
	"lockstep/cluster/split"
)

// A toy is a drawer whose pictures are easily computed. Pixel p of frame f is the greatest value that a block gives to
// the pixel.
type toy struct {
	shape  split.Shape
	margin int                   // rows above and below its own rows that lighting needs
	before func(frame int) error // called before drawing; may be nil
	light  func(frame int) error // called before lighting; may be nil
}

func (d *toy) Shape() split.Shape { return d.shape }

// value returns the value that a block gives to a pixel; 0 stands for nothing.
func value(frame, block, pixel int) uint32 {
	x := uint64(frame)*1e9 + uint64(block)*1e6 + uint64(pixel)
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	if x>>60 > 3 {
		return 0
	}
	return uint32(x >> 20)
}

// rowPixels returns the pixels of a row of tiles.
func (d *toy) rowPixels(row int) (lo, hi int) {
	return d.shape.Width * min(row*d.shape.TileHeight, d.shape.Height), d.shape.Width * min((row+1)*d.shape.TileHeight, d.shape.Height)
}

type toyLayer struct {
	rows     [][]byte
	seconds  []float64
	released bool
}

func (l *toyLayer) Row(row int) []byte {
	if l.released {
		panic("a released layer is used")
	}
	return l.rows[row]
}
func (l *toyLayer) Samples(row int) int { return len(l.Row(row)) / 8 }
func (l *toyLayer) Seconds() []float64  { return l.seconds }
func (l *toyLayer) Release() {
	if l.released {
		panic("a layer is released twice")
	}
	l.released = true
}

func (d *toy) Draw(ctx context.Context, frame int, blocks []int) (split.Layer, error) {
	if d.before != nil {
		if err := d.before(frame); err != nil {
			return nil, err
		}
	}
	l := &toyLayer{rows: make([][]byte, d.shape.Rows)}
	for _, b := range blocks {
		l.seconds = append(l.seconds, float64(b+1)/1000)
		for row := range l.rows {
			lo, hi := d.rowPixels(row)
			for p := lo; p < hi; p++ {
				if v := value(frame, b, p); v != 0 {
					l.rows[row] = binary.LittleEndian.AppendUint32(l.rows[row], uint32(p))
					l.rows[row] = binary.LittleEndian.AppendUint32(l.rows[row], v)
				}
			}
		}
	}
	return l, ctx.Err()
}

func (d *toy) Needed(_ int, own split.Rows) (split.Rows, error) {
	return split.Rows{Lo: max(own.Lo-d.margin, 0), Hi: min(own.Hi+d.margin, d.shape.Rows)}, nil
}

// Light adds up the values in a row and in the rows that it needs, so that a missing row changes the result.
func (d *toy) Light(ctx context.Context, frame int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	if d.light != nil {
		if err := d.light(frame); err != nil {
			return nil, 0, err
		}
	}
	need, _ := d.Needed(frame, own)
	merged := map[int]uint32{}
	sums := map[int]uint32{}
	for row := need.Lo; row < need.Hi; row++ {
		for _, part := range layers(row) {
			for ; len(part) >= 8; part = part[8:] {
				p, v := int(binary.LittleEndian.Uint32(part)), binary.LittleEndian.Uint32(part[4:])
				merged[p] = max(merged[p], v)
			}
		}
		lo, hi := d.rowPixels(row)
		for p := lo; p < hi; p++ {
			sums[row] += merged[p]
		}
	}
	var pixels []byte
	for row := own.Lo; row < own.Hi; row++ {
		lo, hi := d.rowPixels(row)
		around := uint32(0)
		for r := max(row-d.margin, 0); r < min(row+d.margin+1, d.shape.Rows); r++ {
			around += sums[r]
		}
		for p := lo; p < hi; p++ {
			pixels = binary.LittleEndian.AppendUint32(pixels, merged[p]^around)
		}
	}
	return pixels, len(pixels) / 4, ctx.Err()
}

// The method want returns a frame as a single process draws it.
func (d *toy) want(t testing.TB, frame int) []byte {
	all := make([]int, d.shape.Blocks)
	for b := range all {
		all[b] = b
	}
	alone := &toy{shape: d.shape, margin: d.margin}
	l, err := alone.Draw(context.Background(), frame, all)
	if err != nil {
		t.Fatal(err)
	}
	pixels, _, err := alone.Light(context.Background(), frame, split.Rows{Hi: d.shape.Rows}, func(row int) [][]byte { return [][]byte{l.Row(row)} })
	if err != nil {
		t.Fatal(err)
	}
	return pixels
}

// An encodingDrawer is a toy whose nodes encode slabs.
type encodingDrawer struct{ *toy }

// Encode writes the number, the length and the pixels of each slab. The pixel above is subtracted from each pixel.
func (d encodingDrawer) Encode(_ context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	s := &d.shape
	row := max(lo*s.Slab-1, 0)
	if want := 4 * s.Width * (min(hi*s.Slab, s.Height) - row); lo >= hi || len(pixels) != want {
		return nil, fmt.Errorf("%d bytes of bands %d to %d, want %d", len(pixels), lo, hi, want)
	}
	for band := lo; band < hi; band++ {
		first, last := 4*s.Width*(band*s.Slab-row), 4*s.Width*(min((band+1)*s.Slab, s.Height)-row)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(band))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(last-first))
		for p := first; p < last; p++ {
			above := byte(0)
			if p >= 4*s.Width {
				above = pixels[p-4*s.Width]
			}
			dst = append(dst, pixels[p]-above)
		}
	}
	return dst, nil
}

// The method check is a RootOptions.Check for the output of Encode.
func (d encodingDrawer) check(part []byte, lo, hi int, _ bool) error {
	for band := lo; band < hi; band++ {
		if len(part) < 8 || binary.LittleEndian.Uint32(part) != uint32(band) || int(binary.LittleEndian.Uint32(part[4:])) > len(part)-8 {
			return fmt.Errorf("band %d is wrong", band)
		}
		part = part[8+binary.LittleEndian.Uint32(part[4:]):]
	}
	if len(part) > 0 {
		return fmt.Errorf("%d bytes too many", len(part))
	}
	return nil
}

// file returns the file of a frame as a single process makes it.
func (d encodingDrawer) file(t testing.TB, frame int) []byte {
	pixels := d.want(t, frame)
	file, err := d.Encode(context.Background(), nil, 0, (d.shape.Height+d.shape.Slab-1)/d.shape.Slab, pixels)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var secret = []byte("the secret of the picture")

func newToy() *toy {
	return &toy{margin: 1, shape: split.Shape{Frames: 40, Blocks: 13, Rows: 7, Width: 10, Height: 27, TileHeight: 4}}
}

// rotatingOwners assigns every block to another node after every frame.
type rotatingOwners struct {
	random *rand.Rand
	nodes  int
}

func (r *rotatingOwners) Assign(blocks, nodes int) []int {
	r.nodes = nodes
	return r.any(blocks)
}

func (r *rotatingOwners) any(blocks int) []int {
	owner := make([]int, blocks)
	for b := range owner {
		owner[b] = r.random.IntN(r.nodes)
	}
	return owner
}

func (r *rotatingOwners) Frame(p *split.Picture) []int {
	seconds := p.Seconds
	for b, s := range seconds {
		if s != float64(b+1)/1000 {
			panic(fmt.Sprintf("block %d took %g s", b, s))
		}
	}
	return r.any(len(seconds))
}

// A film is a root and its nodes.
type film struct {
	*testing.T
	root    *split.Root
	drawn   map[int]int
	reports chan error
	nodes   sync.WaitGroup
}

func newFilm(t *testing.T, d *toy, owners split.Owners, o split.RootOptions) *film {
	f := &film{T: t, drawn: map[int]int{}, reports: make(chan error, 1000)}
	o.Shape, o.Owners = d.shape, owners
	if d.shape.Slab > 0 && o.Check == nil {
		o.Check = encodingDrawer{d}.check
	}
	o.Links = link.Options{Secret: secret, Limit: 1 << 20, Report: func(err error) { f.reports <- err }}
	if o.Frames == nil {
		for k := range d.shape.Frames {
			o.Frames = append(o.Frames, k)
		}
	}
	var err error
	if f.root, err = split.Listen(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.root.Close(); f.nodes.Wait() })
	return f
}

// node starts a node and returns a channel with its error.
func (f *film) node(ctx context.Context, name string, d split.Drawer) <-chan error {
	ended := make(chan error, 1)
	if toy, ok := d.(*toy); ok && toy.shape.Slab > 0 {
		d = encodingDrawer{toy}
	}
	f.nodes.Go(func() {
		ended <- split.Node(ctx, d, split.NodeOptions{Links: link.Options{Name: name, Secret: secret, Limit: 1 << 20}, Roots: []string{f.root.Addr()}})
	})
	return ended
}

// run draws the film and compares every frame.
func (f *film) run(ctx context.Context, d *toy, each func(p *split.Picture)) error {
	return f.root.Run(ctx, func(p *split.Picture) error {
		f.drawn[p.Frame]++
		got, want := p.Pixels, []byte(nil)
		if d.shape.Slab == 0 {
			want = d.want(f.T, p.Frame)
		} else {
			got, want = slices.Concat(p.Parts...), encodingDrawer{d}.file(f.T, p.Frame)
		}
		if !bytes.Equal(got, want) {
			f.Errorf("frame %d differs, drawn by %d nodes in epoch %d", p.Frame, p.Nodes, p.Epoch)
		}
		if each != nil {
			each(p)
		}
		return nil
	})
}

// TestFilm draws films with 1 to 8 nodes. The blocks change their owners after every frame. Nodes send either pixels or
// slabs. A slab is lower than a row of tiles, of any height, or as high as the picture.
func TestFilm(t *testing.T) {
	for i, nodes := range []int{1, 2, 3, 8, 1, 2, 3, 8, 5, 8} {
		d := newToy()
		d.shape.Slab = []int{0, 0, 0, 0, 5, 3, 9, 4, 27, 1}[i]
		f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(uint64(nodes), 5))}, split.RootOptions{MinNodes: nodes})
		var ended []<-chan error
		for n := range nodes {
			ended = append(ended, f.node(context.Background(), fmt.Sprint("n", n), d))
		}
		epochs := map[uint32]bool{}
		if err := f.run(context.Background(), d, func(p *split.Picture) {
			epochs[p.Epoch] = true
			if p.Nodes != nodes {
				t.Errorf("frame %d is drawn by %d nodes, want %d", p.Frame, p.Nodes, nodes)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if len(f.drawn) != d.shape.Frames || len(epochs) < 5 {
			t.Errorf("%d frames in %d epochs", len(f.drawn), len(epochs))
		}
		for _, e := range ended {
			if err := <-e; err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLostNodes ends nodes while they draw, and starts others. Every frame must be drawn and delivered once.
func TestLostNodes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			lostNodes(t, seed)
		})
	}
}

func lostNodes(t *testing.T, seed uint64) {
	d := newToy()
	d.shape.Slab = []int{0, 3, 5, 9, 27}[seed]
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(seed, 6))}, split.RootOptions{MinNodes: 3})
	random := rand.New(rand.NewPCG(seed, 7))
	var stops []context.CancelFunc
	count := 0
	start := func() {
		ctx, stop := context.WithCancel(context.Background())
		stops = append(stops, stop)
		f.node(ctx, fmt.Sprint("n", count), d)
		count++
	}
	for range 3 {
		start()
	}
	if err := f.run(context.Background(), d, func(p *split.Picture) {
		switch random.IntN(4) {
		case 0:
			i := random.IntN(len(stops))
			stops[i]()
			stops = slices.Delete(stops, i, i+1)
			start()
		case 1:
			if len(stops) < 6 {
				start()
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, stop := range stops {
		stop()
	}
	if len(f.drawn) != d.shape.Frames {
		t.Errorf("%d frames of %d", len(f.drawn), d.shape.Frames)
	}
	for k, n := range f.drawn {
		if n != 1 {
			t.Errorf("frame %d was handed over %d times", k, n)
		}
	}
}

// lease is the length of a lease in tests that wait for its expiry. It is longer than the delays of heartbeats on a
// busy machine.
const lease = 6 * split.HeartbeatInterval

// TestHungNode checks that the film continues without a node that is connected but never answers.
func TestHungNode(t *testing.T) {
	t.Parallel()
	d := newToy()
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 8))}, split.RootOptions{MinNodes: 2, Lease: lease})
	hung, err := link.Listen("127.0.0.1:0", link.Options{Name: "hung", Secret: secret, Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	if err := hung.Dial(context.Background(), f.root.Addr()); err != nil {
		t.Fatal(err)
	}
	if err := split.SendJoin(hung, d.shape); err != nil {
		t.Fatal(err)
	}
	f.node(context.Background(), "good", d)
	if err := f.run(context.Background(), d, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-f.reports; !strings.Contains(err.Error(), "hung is lost: no heartbeat") {
		t.Error(err)
	}
}

// TestFailingNode checks that a node that cannot draw is expelled with its reason. If no node is left, the film must
// end with this error.
func TestFailingNode(t *testing.T) {
	t.Parallel()
	d := newToy()
	bad := newToy()
	bad.before = func(frame int) error {
		if frame == 3 {
			return errors.New("the disk is on fire")
		}
		return nil
	}
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 9))}, split.RootOptions{MinNodes: 2})
	f.node(context.Background(), "bad", bad)
	f.node(context.Background(), "good", d)
	if err := f.run(context.Background(), d, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-f.reports; !strings.Contains(err.Error(), "node bad is lost: frame 3: the disk is on fire") {
		t.Error(err)
	}

	f = newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 9))}, split.RootOptions{Lease: lease})
	f.node(context.Background(), "bad", bad)
	if err := f.run(context.Background(), d, nil); err == nil || !strings.Contains(err.Error(), "the disk is on fire") {
		t.Errorf("got %v", err)
	}
}

// TestOtherShape checks that a node that expects another film is refused.
func TestOtherShape(t *testing.T) {
	d, other := newToy(), newToy()
	other.shape.Blocks++
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 10))}, split.RootOptions{})
	ended := f.node(context.Background(), "other", other)
	f.node(context.Background(), "good", d)
	if err := f.run(context.Background(), d, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, split.ErrRootGone) {
		t.Errorf("got %v", err)
	}
	if err := <-f.reports; !strings.Contains(err.Error(), "would draw something else") {
		t.Error(err)
	}
}

// TestCallerFails checks that a film ends with the error of the caller's function, or with the error of the context.
func TestCallerFails(t *testing.T) {
	d := newToy()
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 11))}, split.RootOptions{})
	f.node(context.Background(), "n", d)
	full := errors.New("the disk is full")
	if err := f.root.Run(context.Background(), func(*split.Picture) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	idle := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(1, 12))}, split.RootOptions{})
	if err := idle.root.Run(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
