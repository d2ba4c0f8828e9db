package split

import (
	"errors"
	"testing"

	"lockstep/cluster/link"
)

// partMessage returns the message with a node's part of a frame.
func partMessage(s *Shape, own Rows, epoch, frame uint32) *link.Message {
	x := framePart{seconds: []float64{1}, samples: make([]uint32, s.Rows), picture: make([]byte, s.rowBytes()*s.pixelRows(own).len())}
	return &link.Message{Kind: kindPart, Epoch: epoch, Frame: frame, Body: x.append(nil)}
}

// TestPartsOfOtherEpochs checks a part of an ended epoch. It must not be used for a frame that is drawn again. A part
// must not be accepted twice.
func TestPartsOfOtherEpochs(t *testing.T) {
	s := Shape{Frames: 3, Blocks: 2, Rows: 4, Width: 8, Height: 8, TileHeight: 2}
	a, b := &nodeState{memberInfo: memberInfo{Name: "a"}}, &nodeState{memberInfo: memberInfo{Name: "b"}}
	e := &epochState{epoch: 2, members: []*nodeState{a, b}, owner: []int{0, 1}, blocks: [][]int{{0}, {1}}}
	all := s.rowBytes() * s.Height
	f := &rootFrame{frame: 1, epochState: e, cuts: []int{0, 2, 4}, received: map[string]bool{}, samples: make([]float64, s.Rows),
		Picture: Picture{Pixels: make([]byte, all), Seconds: make([]float64, 2), Light: make([]float64, 2)}}
	r := &Root{o: RootOptions{Shape: s, Owners: nil}, inProgress: []*rootFrame{f}, proposed: e}
	done := 0
	take := func(m *nodeState, own Rows, epoch uint32) error {
		return r.receivePart(m, partMessage(&s, own, epoch, 1), func(*Picture) error { done++; return nil })
	}
	if err := take(a, Rows{0, 2}, 1); err != nil || len(f.received) != 0 {
		t.Errorf("a strip of another epoch: %v, %d are there", err, len(f.received))
	}
	if err := take(a, Rows{0, 2}, 2); err != nil || done != 0 {
		t.Errorf("the first strip: %v, %d frames are complete", err, done)
	}
	if err := take(a, Rows{0, 2}, 2); !errors.Is(err, errWire) {
		t.Errorf("a strip twice: %v", err)
	}
	if err := take(b, Rows{2, 4}, 2); err != nil || done != 1 || len(r.inProgress) != 0 {
		t.Errorf("the last strip: %v, %d frames are complete", err, done)
	}
}

// A needsOwn is a drawer that needs only the rows that are lit.
type needsOwn struct{ Drawer }

func (needsOwn) Needed(_ int, own Rows) (Rows, error) { return own, nil }

// TestNodeChecksRoot checks that a node refuses keys that arrive twice, and plans of old epochs. It must drop the
// frames and plans of ended epochs.
func TestNodeChecksRoot(t *testing.T) {
	s := Shape{Frames: 3, Blocks: 1, Rows: 2, Width: 8, Height: 4, TileHeight: 2}
	n := &node{links: new(link.Links), name: "a", drawer: needsOwn{}, shape: s, plans: map[uint32]*epochPlan{}, frames: map[frameID]*nodeFrame{}, latest: 5}
	old := &epochPlan{planMessage: &planMessage{Members: []memberInfo{{Name: "a"}, {Name: "b"}}}, epoch: 5}
	now := *old
	now.epoch = 6
	n.plans[5], n.plans[6] = old, &now
	keys := &link.Message{From: "b", Kind: kindKeys, Epoch: 5, Frame: 1}
	if err := n.storeKeys(keys); err != nil {
		t.Fatal(err)
	}
	if err := n.storeKeys(keys); !errors.Is(err, errWire) {
		t.Errorf("keys twice: %v", err)
	}
	body := []byte(`{"members":[{"name":"a"}],"owner":[0]}`)
	if err := n.receivePlan(&link.Message{From: RootName, Kind: kindPlan, Epoch: 5, Body: body}); !errors.Is(err, errWire) {
		t.Errorf("a plan of an epoch that there was: %v", err)
	}
	n.order = []*nodeFrame{n.frames[frameID{5, 1}]}
	if err := n.startFrame(&link.Message{From: RootName, Kind: kindDraw, Epoch: 6, Frame: 2, Body: []byte(`{"cuts":[0,1,2],"oldest":6}`)}); err != nil {
		t.Fatal(err)
	}
	if len(n.frames) != 1 || len(n.order) != 1 || n.order[0].epoch != 6 || n.plans[5] != nil || n.plans[6] == nil {
		t.Errorf("%d frames, %d in order, plans %v are left", len(n.frames), len(n.order), n.plans)
	}
}

// TestJoinRefuses checks that a node is refused if it was expelled before, or if it expects another film.
func TestJoinRefuses(t *testing.T) {
	r := &Root{shutOut: map[string]bool{"bad": true}, o: RootOptions{Shape: Shape{Frames: 3}}}
	for _, c := range []struct {
		name, body string
		joins      bool
	}{
		{"bad", `{"shape":{"frames":3}}`, false},
		{"good", `{"shape":{"frames":4}}`, false},
		{"good", `{"shape":{"frames":3}}`, true},
		{"good", `{"shape":{"frames":3}}`, true}, // the node joins again
	} {
		if err := r.join(&link.Message{From: c.name, Kind: kindJoin, Body: []byte(c.body)}); (err == nil) != c.joins {
			t.Errorf("%s with %s: %v", c.name, c.body, err)
		}
	}
	if len(r.members) != 1 {
		t.Errorf("%d members", len(r.members))
	}
}
