package split

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/cluster/link"
)

// TestSlabsHaveOneOwner cuts pictures at random rows. Each slab, a band of rows that one node encodes, must be encoded
// once. The slab's owner must receive every missing row of pixels once.
func TestSlabsHaveOneOwner(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s := Shape{Height: 1 + random.IntN(60), TileHeight: 1 + random.IntN(9), Width: 1, Slab: 1 + random.IntN(70)}
		s.Rows = (s.Height + s.TileHeight - 1) / s.TileHeight
		d := drawMessage{Cuts: []int{0, s.Rows}}
		for range random.IntN(8) {
			d.Cuts = append(d.Cuts, random.IntN(s.Rows+1))
		}
		slices.Sort(d.Cuts)
		members, next := len(d.Cuts)-1, 0
		got := make([]map[int]int, members) // rows of pixels that are sent to each member
		for m := range members {
			got[m] = map[int]int{}
		}
		for m := range members {
			lo, hi := s.slabs(d.rowsOf(m))
			if lo != next || hi < lo {
				t.Fatalf("%+v cut at %v: member %d encodes bands %d to %d, want from %d on", s, d.Cuts, m, lo, hi, next)
			}
			next = hi
			if b := d.border(&s, m); b.rows.len() > 0 {
				for y := b.rows.lo; y < b.rows.hi; y++ {
					got[b.to][y]++
				}
			}
		}
		if last := s.slabsBefore(s.Height); next != last || (last-1)*s.Slab >= s.Height || last*s.Slab < s.Height {
			t.Fatalf("%+v: %d bands are encoded of %d", s, next, last)
		}
		for m := range members {
			want := map[int]int{}
			if lo, hi := s.slabs(d.rowsOf(m)); lo < hi {
				for y := max(lo*s.Slab-1, 0); y < s.pixelRows(d.rowsOf(m)).lo; y++ {
					want[y] = 1
				}
			}
			if len(want) != len(got[m]) || len(want) != s.rowsAbove(d.rowsOf(m)).len() {
				t.Fatalf("%+v cut at %v: member %d gets %v, want %v", s, d.Cuts, m, got[m], want)
			}
			for y := range want {
				if got[m][y] != 1 {
					t.Fatalf("%+v cut at %v: member %d gets row %d %d times", s, d.Cuts, m, y, got[m][y])
				}
			}
		}
	}
}

// TestBordersOfOthers checks the messages with border rows, which a slab's owner gets from other nodes. A border must
// be refused if it arrives twice, or if nodes send pixels instead of slabs. It must be ignored if its epoch has ended.
func TestBordersOfOthers(t *testing.T) {
	s := Shape{Frames: 3, Blocks: 1, Rows: 2, Width: 8, Height: 4, TileHeight: 2, Slab: 3}
	p := &epochPlan{planMessage: &planMessage{Members: []memberInfo{{Name: "a"}, {Name: "b"}}}, epoch: 5}
	n := &node{links: new(link.Links), name: "b", shape: s, plans: map[uint32]*epochPlan{5: p}, frames: map[frameID]*nodeFrame{}}
	m := &link.Message{From: "a", Kind: kindBorder, Epoch: 5, Frame: 1, Body: []byte("xyz")}
	if err := n.handleMessage(m); err != nil || string(n.frames[frameID{5, 1}].borders["a"]) != "xyz" {
		t.Errorf("a border: %v", err)
	}
	if err := n.handleMessage(m); !errors.Is(err, errWire) {
		t.Errorf("a border twice: %v", err)
	}
	if err := n.handleMessage(&link.Message{From: "a", Kind: kindBorder, Epoch: 4, Frame: 1}); err != nil || len(n.frames) != 1 {
		t.Errorf("a late border: %v, %d frames", err, len(n.frames))
	}
	if err := n.handleMessage(&link.Message{From: RootName, Kind: kindBorder, Epoch: 5, Frame: 2}); !errors.Is(err, errWire) {
		t.Errorf("a border from the root: %v", err)
	}
	n.shape.Slab = 0
	if err := n.handleMessage(&link.Message{From: "a", Kind: kindBorder, Epoch: 5, Frame: 2}); !errors.Is(err, errWire) {
		t.Errorf("a border where pixels are sent: %v", err)
	}
}

// TestPartsAreChecked checks that the root checks every part that a node encodes, and refuses a part that fails. It
// must decode each node's first part and every hundredth part after that.
func TestPartsAreChecked(t *testing.T) {
	s := Shape{Frames: 300, Blocks: 1, Rows: 4, Width: 8, Height: 8, TileHeight: 2, Slab: 3}
	a, b := &nodeState{memberInfo: memberInfo{Name: "a"}}, &nodeState{memberInfo: memberInfo{Name: "b"}}
	e := &epochState{epoch: 2, members: []*nodeState{a, b}, owner: []int{0}, blocks: [][]int{{0}, {}}}
	bad := errors.New("no part")
	var wholes []int
	r := &Root{links: new(link.Links), o: RootOptions{Shape: s, Check: func(part []byte, lo, hi int, whole bool) error {
		if string(part) == "bad" || string(part) == "a" && (lo != 0 || hi != 1) || string(part) == "b" && (lo != 1 || hi != 3) {
			return bad
		}
		if whole && lo == 0 {
			wholes = append(wholes, a.parts)
		}
		return nil
	}}, proposed: e}
	frame := 0
	begin := func() {
		frame++
		r.inProgress = append(r.inProgress, &rootFrame{frame: frame, epochState: e, cuts: []int{0, 2, 4}, received: map[string]bool{}, samples: make([]float64, s.Rows),
			bodies: make([][]byte, 2), Picture: Picture{Parts: make([][]byte, 2), Seconds: make([]float64, 1), Light: make([]float64, 2)}})
	}
	send := func(m *nodeState, part string, blocks int, done func(*Picture) error) error {
		x := framePart{seconds: make([]float64, blocks), samples: make([]uint32, s.Rows), picture: []byte(part)}
		return r.receivePart(m, &link.Message{Kind: kindPart, Epoch: 2, Frame: uint32(frame), Body: x.append(nil)}, done)
	}
	for range 250 {
		begin()
		complete := false
		if err := send(b, "b", 0, nil); err != nil {
			t.Fatal(err)
		}
		if err := send(a, "a", 1, func(p *Picture) error {
			complete = string(p.Parts[0]) == "a" && string(p.Parts[1]) == "b" && p.Pixels == nil
			return nil
		}); err != nil || !complete {
			t.Fatalf("%v, complete: %v", err, complete)
		}
	}
	if !slices.Equal(wholes, []int{0, 100, 200}) {
		t.Errorf("parts %v are checked wholly", wholes)
	}
	begin()
	r.inProgress[0].cuts = []int{0, 4, 4} // b owns no slab
	before := b.parts
	r.o.Check = func(part []byte, lo, hi int, _ bool) error {
		if (lo < hi) != (len(part) > 0) {
			return bad
		}
		return nil
	}
	if err := send(b, "", 0, nil); err != nil || b.parts != before {
		t.Errorf("no bands: %v, %d parts after %d", err, b.parts, before)
	}
	if err := send(a, "a", 1, func(*Picture) error { return nil }); err != nil || len(r.free) > 0 {
		t.Errorf("all bands: %v, memory of %d pictures is kept", err, len(r.free))
	}
	begin()
	r.o.Check = func([]byte, int, int, bool) error { return bad }
	if err := send(a, "bad", 1, nil); !errors.Is(err, errWire) || !errors.Is(err, bad) {
		t.Errorf("a bad part: %v", err)
	}
	if _, err := Listen(RootOptions{Shape: s}); err == nil || !strings.Contains(err.Error(), "need a check") {
		t.Errorf("parts that nobody checks are taken: %v", err)
	}
}

// An upper is a drawer that encodes slabs as their pixels.
type upper struct{ Drawer }

func (upper) Encode(_ context.Context, dst []byte, _, _ int, pixels []byte) ([]byte, error) {
	return append(dst, pixels...), nil
}

// TestBordersOfWrongSize checks that a member that sent a border of the wrong size is disconnected, and that no part is
// sent. A border from a member without rows in the slab must be ignored.
func TestBordersOfWrongSize(t *testing.T) {
	s := Shape{Frames: 3, Blocks: 1, Rows: 3, Width: 1, Height: 6, TileHeight: 2, Slab: 6}
	for name, c := range map[string]struct {
		borders map[string]string
		fault   string
		ended   bool
	}{
		"none":   {map[string]string{}, "", false},
		"one":    {map[string]string{"a": "aaaaAAAA"}, "", false},
		"both":   {map[string]string{"a": "aaaaAAAA", "b": "bbbbBBBB"}, "", true},
		"long":   {map[string]string{"a": "aaaaAAAA", "b": "bbbbBBBBx"}, "b", true},
		"short":  {map[string]string{"a": "aaa", "b": "bbbbBBBB"}, "a", true},
		"beyond": {map[string]string{"a": "aaaaAAAA", "b": "bbbbBBBB", "d": "x"}, "", true},
	} {
		p := &epochPlan{planMessage: &planMessage{Members: []memberInfo{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}}, epoch: 5, self: 2}
		var reported []string
		n := &node{links: new(link.Links), name: "c", drawer: upper{}, shape: s, report: func(err error) { reported = append(reported, err.Error()) }}
		f := &nodeFrame{plan: p, rows: &drawMessage{Cuts: []int{0, 1, 2, 3, 3}}, layer: noLayer{}, borders: map[string][]byte{}, keys: map[string][]byte{"a": nil, "b": nil, "d": nil}}
		n.order = []*nodeFrame{f}
		if err := n.encode(f, framePart{}, []byte("ccccCCCC")); err != nil {
			t.Fatal(err)
		}
		for from, body := range c.borders {
			f.borders[from] = []byte(body)
		}
		lit := f.lit
		did, err := n.step()
		if err != nil || did != c.ended || (len(n.order) == 0) != c.ended {
			t.Errorf("%s: %v, ended: %v, %d frames are left", name, err, did, len(n.order))
		}
		switch {
		case c.fault == "" && len(reported) > 0, c.fault != "" && (len(reported) != 1 || !strings.Contains(reported[0], "node "+c.fault+" ends: malformed message: border of frame 0")):
			t.Errorf("%s: %q", name, reported)
		case (c.ended && c.fault == "") != (string(lit.part.picture) == "aaaaAAAAbbbbBBBBccccCCCC"):
			t.Errorf("%s: the picture is %q", name, lit.part.picture)
		}
	}
}

type noLayer struct{ Layer }

func (noLayer) Release() {}

// A slow is a drawer that takes a while to encode.
type slow struct{ upper }

const slowTime = 3 * time.Millisecond

func (d slow) Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	time.Sleep(slowTime)
	return d.upper.Encode(ctx, dst, lo, hi, pixels)
}

// TestEncodingCosts checks that the time for encoding counts as cost of a member's rows. This includes the time before
// and after borders arrive.
func TestEncodingCosts(t *testing.T) {
	p := &epochPlan{planMessage: &planMessage{Members: []memberInfo{{Name: "a"}, {Name: "b"}}}, epoch: 5, self: 1}
	n := &node{links: new(link.Links), name: "b", drawer: slow{}, shape: Shape{Frames: 3, Blocks: 1, Rows: 2, Width: 1, Height: 4, TileHeight: 2, Slab: 1}}
	f := &nodeFrame{plan: p, rows: &drawMessage{Cuts: []int{0, 1, 2}}, borders: map[string][]byte{"a": []byte("aaaa")}}
	if err := n.encode(f, framePart{light: 1}, []byte("bbbbBBBB")); err != nil {
		t.Fatal(err)
	}
	light := f.lit.part.light
	if light < 1+slowTime.Seconds() {
		t.Errorf("%g s after what could be encoded at once", light)
	}
	if fault, err := n.finishPart(f); fault != "" || err != nil || f.lit.part.light < light+slowTime.Seconds() {
		t.Errorf("%g s after the rest: %q, %v", f.lit.part.light, fault, err)
	}
	if got := string(f.lit.part.picture); got != "aaaabbbb"+"bbbbBBBB" {
		t.Errorf("bands %q", got)
	}
}
