package flowshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/bench/sharing"
)

func TestExperiment(t *testing.T) {
	for _, transport := range []string{"local", "simulated"} {
		e := Experiment{Instances: []int{22}, Jobs: 10, Start: "heuristic", Search: 50}
		e.JSON, e.Transport, e.Seed, e.Protocols, e.Peers = true, transport, 1, []string{"btd", "mw", "keep"}, []int{1, 6}
		e.Latency = 20000
		var text bytes.Buffer
		if err := e.Run(context.Background(), report.Output{Stdout: &text}); err != nil {
			t.Fatal(err)
		}
		in := instance(t, 22).First(10)
		want := search(t, in, Options{}).Solve().Bound()
		lines := 0
		for line := range strings.Lines(text.String()) {
			lines++
			var r sharing.Row
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if r.Experiment != "flowshop" || r.Instance != "Ta22-10" || r.Makespan != want || !r.Proved || r.Transport != transport || r.Nodes == 0 {
				t.Errorf("%+v, want %d", r, want)
			}
		}
		if lines != 6 {
			t.Errorf("%d lines", lines)
		}
	}
}

func TestFaultyFlags(t *testing.T) {
	for _, change := range []func(*Experiment){
		func(e *Experiment) { e.Instances = []int{121} },
		func(e *Experiment) { e.Instances = []int{31} }, // 50 jobs
		func(e *Experiment) { e.Instances, e.Start = []int{1}, "optimum" },
		func(e *Experiment) { e.Search = -1 },
		func(e *Experiment) { e.Figure = "nine" },
	} {
		e := Experiment{Search: 1}
		change(&e)
		var usage *report.UsageError
		if err := e.Run(context.Background(), report.Output{Stdout: &bytes.Buffer{}}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}
