package film

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/bench/report"
)

// TestQueueTime compares queueTime with results computed by hand. One node waits only for its first frame, and many
// nodes wait for the server.
func TestQueueTime(t *testing.T) {
	for _, c := range []struct {
		frames, nodes        int
		frame, service, trip float64
		want                 float64
	}{
		{10, 1, 2, 0.25, 0.5, 0.75 + 10*2},
		{10, 1, 0.5, 0.25, 0.5, 10*0.75 + 0.5}, // the server is slower than the node
		{100, 100, 1, 0.5, 0.25, 100*0.5 + 0.25 + 1},
		{4, 2, 8, 0.5, 0, 1 + 2*8},
	} {
		if got := queueTime(c.frames, c.nodes, c.frame, c.service, c.trip); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestQueueBounds checks two lower bounds of the length of a film: the time of its nodes and the time of its server.
// The upper bound is the time in which a single node requests and draws all frames, one after the other.
func TestQueueBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames, nodes := rapid.IntRange(1, 60).Draw(t, "frames"), rapid.IntRange(1, 20).Draw(t, "nodes")
		frame, service, trip := rapid.Float64Range(0.01, 2).Draw(t, "frame"), rapid.Float64Range(0.001, 1).Draw(t, "service"), rapid.Float64Range(0, 1).Draw(t, "trip")
		got := queueTime(frames, nodes, frame, service, trip)
		n := float64(frames)
		least := max(math.Ceil(n/float64(nodes))*frame, n*service+frame) + trip
		if most := n * (frame + service + trip); got < math.Ceil(n/float64(nodes))*frame || got < n*service+frame+trip-1e-9 || got > most+1e-9 {
			t.Fatalf("%v, want %v to %v", got, least, most)
		}
	})
}

// TestHandOut simulates the queue and the overlay. With few nodes both take the same time, apart from the start. With
// many nodes the queue is limited by its server, and the overlay by the time to record frames.
func TestHandOut(t *testing.T) {
	e := Experiment{JSON: true, HandOut: []float64{0.1}, FramesEach: 40, Nodes: []int{512, 4}, QueueRate: 1000, RecordRate: 3000, Latency: 1e-4}
	var out bytes.Buffer
	if err := e.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var rows []HandOut
	for d := json.NewDecoder(&out); d.More(); {
		var r HandOut
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 2 || rows[0].Nodes != 4 || rows[1].Nodes != 512 {
		t.Fatalf("%+v", rows)
	}
	few, many := rows[0], rows[1]
	if few.QueueEfficiency < 0.99 || few.Overlay < 4+overlayStart || few.Overlay > 4.3+overlayStart {
		t.Errorf("4 nodes: %+v", few)
	}
	if n := float64(many.Frames); many.Queue < n/1000 || many.Queue > n/1000+0.2 || many.Overlay < n/3000 || many.Overlay > 0.6*many.Queue {
		t.Errorf("512 nodes: %+v", many)
	}
	if got := breakEvenText(rows, 0.1); !strings.Contains(got, "from 512 nodes on") {
		t.Error(got)
	}
	if got := breakEvenText(rows[:1], 0.1); !strings.Contains(got, "the queue is faster") {
		t.Error(got)
	}
}

// TestHandOutFlags checks that flags out of range are refused.
func TestHandOutFlags(t *testing.T) {
	good := Experiment{HandOut: []float64{0.1}, FramesEach: 1, Nodes: []int{1}, QueueRate: 1, RecordRate: 1, Latency: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(*Experiment){
		"--hand-out 0":     func(e *Experiment) { e.HandOut = []float64{0} },
		"expected --loads": func(e *Experiment) { e.HandOut = nil },
		"--queue-rate":     func(e *Experiment) { e.QueueRate = 0 },
		"--record-rate":    func(e *Experiment) { e.RecordRate = math.NaN() },
		"--latency":        func(e *Experiment) { e.Latency = -1 },
		"--frames-each 0":  func(e *Experiment) { e.FramesEach = 0 },
	} {
		e := good
		change(&e)
		if err := e.check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
