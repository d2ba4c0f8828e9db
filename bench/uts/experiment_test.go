package uts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/bench/sharing"
)

// rowsOf runs an experiment and returns its rows.
func rowsOf(t *testing.T, e Experiment) []sharing.Row {
	t.Helper()
	e.JSON, e.Seed = true, 1
	var text bytes.Buffer
	if err := e.Run(context.Background(), report.Output{Stdout: &text}); err != nil {
		t.Fatal(err)
	}
	var rows []sharing.Row
	for line := range strings.Lines(text.String()) {
		var row sharing.Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestExperiment(t *testing.T) {
	dir := t.TempDir()
	e := Experiment{Tree: []string{"R599"}}
	e.Transport, e.Plot = "simulated", report.Path(dir)
	e.Protocols, e.Peers, e.Degree = []string{"td", "keep"}, []int{4, 9}, []int{2, 10}
	e.Latency, e.Overhead = 20000, 2000
	rows := rowsOf(t, e)
	if len(rows) != 8 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Experiment != "uts" || r.Tree != "R599" || r.Nodes != 579931 || r.Leaves != 290965 || r.Depth != 764 || r.Transport != "simulated" ||
			!(r.Efficiency > 0 && r.Efficiency <= 1) || r.Messages == 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, name := range []string{"R599-peers.svg", "R599-degree.png", "R599-messages.svg"} {
		if info, err := os.Stat(dir + "/" + name); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeveralTrees checks that several trees are compared in a figure of their own.
func TestSeveralTrees(t *testing.T) {
	dir := t.TempDir()
	e := Experiment{Tree: []string{"R599", "r599"}}
	e.Transport, e.Plot, e.Peers, e.NoAlone = "local", report.Path(dir), []int{2}, true
	if rows := rowsOf(t, e); len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
	e.Tree[1], e.NoAlone = "T1", false
	rowsOf(t, e)
	if info, err := os.Stat(dir + "/problems.png"); err != nil || info.Size() < 1000 {
		t.Error(err)
	}
}

func TestLocalExperiment(t *testing.T) {
	e := Experiment{Tree: []string{"r599"}}
	e.Transport, e.Peers, e.Plot = "local", []int{3, 2}, report.Path(t.TempDir())
	for _, e.NoAlone = range []bool{false, true} {
		for i, r := range rowsOf(t, e) {
			if r.Nodes != 579931 || r.Transport != "local" || r.Peers != e.Peers[i/3] || !r.Proved {
				t.Errorf("%+v", r)
			}
			if known := r.Efficiency > 0; known == e.NoAlone {
				t.Errorf("efficiency %v", r.Efficiency)
			}
		}
	}
}

func TestFaultyFlags(t *testing.T) {
	for _, change := range []func(*Experiment){
		func(e *Experiment) { e.Tree = []string{"T9"} },
		func(e *Experiment) { e.Tree = []string{"t1 d0"} },
		func(e *Experiment) { e.Protocols = []string{"gossip"} },
		func(e *Experiment) { e.Share = []string{"all"} },
		func(e *Experiment) { e.Peers = []int{0} },
		func(e *Experiment) { e.Degree = []int{-1} },
		func(e *Experiment) { e.Slice = -1 },
		func(e *Experiment) { e.Figure = "9" },
		func(e *Experiment) { e.Transport, e.Latency = "simulated", -1 },
	} {
		e := Experiment{Tree: []string{"R599"}}
		change(&e)
		var usage *report.UsageError
		if err := e.Run(context.Background(), report.Output{Stdout: &bytes.Buffer{}}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}
