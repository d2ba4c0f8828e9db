package film

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb/loads"
)

// recorded writes a film and returns the name of its file. The blocks lie in a row of the picture, and the expensive
// blocks change from left to right.
func recorded(t *testing.T, places bool) report.Path {
	t.Helper()
	name := filepath.Join(t.TempDir(), "spot.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const blocks, frames = 60, 90
	h := loads.Header{BlockSize: 10}
	for range blocks {
		h.Triangles = append(h.Triangles, 10)
	}
	w, err := loads.NewWriter(f, h)
	if err != nil {
		t.Fatal(err)
	}
	for k := range frames {
		var seconds, x, y []float64
		for b := range blocks {
			d := float64(b)/blocks - float64(k)/frames
			seconds = append(seconds, 0.001+0.03*math.Exp(-300*d*d))
			x, y = append(x, d), append(y, 0)
		}
		if !places {
			x, y = nil, nil
		}
		if err := w.WriteFrameAt(seconds, x, y); err != nil {
			t.Fatal(err)
		}
	}
	return report.Path(name)
}

func experiment(t *testing.T) Experiment {
	return Experiment{
		JSON: true, Loads: []report.Path{recorded(t, true)}, Nodes: []int{2, 6}, MoveLatency: 0.001,
		When: []string{"payback", "never", "always", "menon"}, How: []string{"auto", "few", "norcb"},
	}
}

// rowsOf runs an experiment and returns its rows.
func rowsOf(t *testing.T, e Experiment) []Row {
	t.Helper()
	var out bytes.Buffer
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for d := json.NewDecoder(&out); d.More(); {
		var r Row
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestSpot replays a film of a spot that moves over the mesh. The default must be much faster than static owners and
// nearly as fast as the best choice, and the figures must agree with each other.
func TestSpot(t *testing.T) {
	rows := rowsOf(t, experiment(t))
	if len(rows) != 2*4*3 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Experiment != "film" || r.Film != "spot" || r.Frames != 90 || r.Best < 1 || r.Efficiency > 1 || r.Efficiency <= 0 {
			t.Errorf("%+v", r)
		}
		switch {
		case r.When == "never" && (r.Changes != 0 || r.Static != 1 || r.Bytes != 0):
			t.Errorf("static owners: %+v", r)
		case r.When == "payback" && r.How == "auto" && (r.Static < 1.3 || r.Best > 1.1 || r.After >= r.Before || r.Changes == 0):
			t.Errorf("the default: %+v", r)
		case r.Bytes != 360*float64(r.Moves):
			t.Errorf("%d moves of %g bytes", r.Moves, r.Bytes)
		}
	}
}

// TestPrice checks that changes of owners are rare if they are expensive.
func TestPrice(t *testing.T) {
	e := experiment(t)
	e.When, e.How, e.Nodes = []string{"payback"}, []string{"few"}, []int{6}
	free := rowsOf(t, e)[0]
	e.MoveBandwidth = 1000 // 0.36 s for each block
	dear := rowsOf(t, e)[0]
	if !(dear.Moves < free.Moves/2) || dear.Seconds < free.Seconds {
		t.Errorf("free %+v, dear %+v", free, dear)
	}
}

// TestTable checks that the experiment prints a table and draws figures.
func TestTable(t *testing.T) {
	e := experiment(t)
	e.JSON, e.Plot = false, report.Path(filepath.Join(t.TempDir(), "figures"))
	var out bytes.Buffer
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "The default (payback, auto) in 2 cases") {
		t.Error(out.String())
	}
	for _, name := range []string{"film.svg", "film.png"} {
		if info, err := os.Stat(filepath.Join(string(e.Plot), name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefused checks that errors name the flags and files that are wrong.
func TestRefused(t *testing.T) {
	for word, change := range map[string]func(*Experiment){
		"--nodes 0":        func(e *Experiment) { e.Nodes = []int{0} },
		"--when":           func(e *Experiment) { e.When = []string{"sometimes"} },
		"--how":            func(e *Experiment) { e.How = []string{"somehow"} },
		"--move-latency":   func(e *Experiment) { e.MoveLatency = math.NaN() },
		"--move-bandwidth": func(e *Experiment) { e.MoveBandwidth = -1 },
		"lack the places":  func(e *Experiment) { e.Loads = []report.Path{recorded(t, false)} },
		"no such file":     func(e *Experiment) { e.Loads = []report.Path{"missing.jsonl"} },
	} {
		e := experiment(t)
		change(&e)
		err := e.Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)})
		var usage *report.UsageError
		var input *report.InputError
		if err == nil || !strings.Contains(err.Error(), word) || !errors.As(err, &usage) && !errors.As(err, &input) {
			t.Errorf("%s: %v", word, err)
		}
	}
}
