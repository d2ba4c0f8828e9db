package view

import (
	"encoding/json"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lockstep/render"
	"lockstep/render/recipe"
)

// TestPanel checks the report about a movement that the panel requests: the time of each worker in each stage, the
// decisions, and the round-trip times.
func TestPanel(t *testing.T) {
	s := started(t, func(o *Options) { o.Drawer.Workers = 3 })
	c := dial(t, s)
	r := usual("move")
	r.File = 1
	c.ask(r)
	r.Panel, r.Trip, r.Shown = true, 41.5, c.seq
	c.ask(r)
	kind, text, err := c.conn.Read(t.Context())
	var info balanceInfo
	if err != nil || kind != websocket.MessageText || json.Unmarshal(text, &info) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if info.Kind != "balance" || info.Seq != c.seq || len(info.Workers) != 3 || len(info.Words) == 0 || len(text) > 4<<10 {
		t.Errorf("%s", text)
	}
	sum := 0.0
	for _, w := range info.Workers {
		if len(w) != len(info.Stages) {
			t.Fatalf("%d times of %d stages", len(w), len(info.Stages))
		}
		for _, ms := range w {
			sum += ms
		}
	}
	if sum <= 0 || sum > 3*info.Frame*1.001+0.1 {
		t.Errorf("3 workers were busy for %v ms in all, in a frame of %v", sum, info.Frame)
	}
	if u := info.LaneUse; u[0] <= 0 || u[0] > 1 || u[1] <= 0 || u[1] > 1 {
		t.Errorf("lanes %v", u)
	}
	if len(info.Trips) != 1 || info.Trips[0] != 41.5 || len(info.Levels) != 1 || info.Decision == "" {
		t.Errorf("%s", text)
	}
}

// TestReports checks that a movement that requests a report gets one, unless the last report was less than reportEvery
// ago.
func TestReports(t *testing.T) {
	s := &session{server: started(t, nil)}
	defer s.close()
	r := usual("move")
	for name, c := range map[string]struct {
		panel  bool
		before time.Time
		want   bool
	}{
		"the first":       {true, time.Time{}, true},
		"a moment later":  {true, time.Now().Add(time.Hour), false},
		"nobody looks":    {false, time.Time{}, false},
		"long afterwards": {true, time.Now().Add(-time.Hour), true},
	} {
		r.Panel, s.panel.reportedAt = c.panel, c.before
		if message, _, err := s.answer(t.Context(), &r); err != nil || message[4] != moving {
			t.Fatal(err)
		}
		if got := s.panel.takeReport() != nil; got != c.want {
			t.Errorf("%s: a report: %v", name, got)
		}
		if s.panel.takeReport() != nil {
			t.Errorf("%s: a report is sent twice", name)
		}
	}
}

// TestBalanceWords checks the text that explains which work was moved and why other work was not moved. The text must
// contain times if they are known.
func TestBalanceWords(t *testing.T) {
	of := render.Stats{Loops: [2]render.LoopStats{{Iterations: 900, IterationsUnbalanced: 1000}}}
	of.Balance = render.BalanceStats{Cost: 7, Polygons: 12, Predicted: 150, PredictedCost: 84, Iteration: 1e-6, Shared: 2, Judged: 9, Dearer: 1}
	of.Leaves = render.LeavesStats{Groups: 50, Deferred: 30, Late: 4}
	got := strings.Join(explainBalance(&of), "\n")
	for _, want := range []string{"12 polygons", "save 150 iterations (0.150 ms)", "at most 84 (0.084 ms)", "some 7 iterations (0.007 ms)", "900 iterations in place of 1000", "2 largest", "Of 9 moves that were timed, 1 ", "30 were expected to be hidden", "4 of these"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
	of = render.Stats{Loops: [2]render.LoopStats{{Iterations: 5, IterationsUnbalanced: 5}}, Balance: render.BalanceStats{Cost: 7}}
	if got := explainBalance(&of); !strings.HasPrefix(got[0], "Keep: ") || strings.Contains(got[0], "ms") {
		t.Errorf("%q", got)
	}
	if got := explainBalance(new(render.Stats)); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestTrips checks that the round-trip times of the last maxTrips movements are stored.
func TestTrips(t *testing.T) {
	q, err := newQuality("", 1000)
	if err != nil {
		t.Fatal(err)
	}
	if q.explain() != "Nothing has moved yet." {
		t.Error(q.explain())
	}
	q.observe(movement{level: q.level, trip: 0}) // the round-trip time is unknown
	for i := range 250 {
		q.observe(movement{level: q.level, trip: float64(i + 1)})
	}
	if len(q.trips) != maxTrips || q.trips[0].milliseconds != 151 || q.trips[99].milliseconds != 250 || q.trips[99].level != q.level {
		t.Errorf("%d trips, from %v to %v", len(q.trips), q.trips[0], q.trips[len(q.trips)-1])
	}
	if fixed, _ := newQuality("never", 1000); fixed.explain() != "The quality never changes." {
		t.Error(fixed.explain())
	}
}

// TestHeat checks that the picture of the times of blocks differs from the mesh's own, with a section too, and that
// wrong requests are refused.
func TestHeat(t *testing.T) {
	s := started(t, func(o *Options) { o.Meshes[1].File = "scene:knot?triangles=20000" })
	c := dial(t, s)
	for _, file := range []int{0, 1} {
		r := usual("heat")
		r.File = file
		r.Picture.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{1, 0, 0}, Offset: 60, Percent: true, Keep: '<'}}
		r.Size = recipe.Size{Width: 160, Height: 120}
		kind, answer := c.ask(r)
		if kind != websocket.MessageBinary || answer[4] != still {
			t.Fatalf("%.200q", answer)
		}
		pic, _, err := image.Decode(strings.NewReader(string(answer[headerBytes:])))
		if err != nil || pic.Bounds() != image.Rect(0, 0, 160, 120) {
			t.Fatal(pic, err)
		}
		r.Kind = "still"
		if _, plain := c.ask(r); string(plain[headerBytes:]) == string(answer[headerBytes:]) {
			t.Error("the mesh has its own colours")
		}
		r.Kind = "heat"
		r.Picture.Camera.Zoom = -1
		if kind, answer := c.ask(r); kind != websocket.MessageText || !strings.Contains(string(answer), "zoom") {
			t.Errorf("%s", answer)
		}
	}
}

// TestShown checks that each movement that was shown counts once, with its time on the server.
func TestShown(t *testing.T) {
	server := started(t, nil)
	s := &session{server: server}
	defer s.close()
	r := usual("move")
	if err := s.setMesh(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	shown := []uint32{0, 0, 1, 1, 3, 77, 6}
	for i, of := range shown {
		r.Seq, r.Shown, r.Trip, r.received = uint32(i+1), of, 50, time.Now().Add(-20*time.Millisecond)
		if _, err := s.drawMovement(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		if m := s.sent[r.Seq]; m.serverTime < 20 || m.serverTime > 20000 || m.level != s.level {
			t.Errorf("movement %d: %+v", r.Seq, m)
		}
	}
	if n := len(s.quality.trips); n != 3 { // movements 1, 3 and 6
		t.Errorf("%d trips", n)
	}
	for seq := range uint32(100) {
		s.awaitTrip(100+seq, movement{})
	}
	if len(s.sent) > maxSent {
		t.Errorf("%d movements are remembered", len(s.sent))
	}
}
