package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What every experiment owes to the command line, whatever it measures.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	curve := filepath.Join(dir, "curve.jsonl")
	list := run(t, dir, "", "bench", "--list")
	list.want(t, exitDone)
	if !strings.HasPrefix(list.stdout, "criteria ") && !strings.Contains(list.stdout, "\ncriteria ") {
		t.Errorf("the list lacks criteria: %q", list.stdout)
	}
	for _, line := range strings.Split(strings.TrimSpace(list.stdout), "\n") {
		name, help, _ := strings.Cut(line, " ")
		if strings.TrimSpace(help) == "" {
			t.Errorf("%s has no description", name)
		}
		run(t, dir, "", "bench", name, "--help").want(t, exitDone)
		run(t, dir, "", "bench", name, "--nonsense").want(t, exitUsage, "--nonsense")
	}
	run(t, dir, "", "bench", "criteria", "--parts", "3").want(t, exitUsage, "--parts")
	run(t, dir, "", "bench", "criteria", "--curves", "missing").want(t, exitInput, "missing")
	write(t, curve, "nothing of the kind\n")
	run(t, dir, "", "bench", "criteria", "--curves", curve).want(t, exitInput, "curve.jsonl")
}

// Experiments print one object a line, and notice when nobody can take it.
func TestBenchOutput(t *testing.T) {
	dir := t.TempDir()
	curve := filepath.Join(dir, "curve.jsonl")
	values := strings.TrimSuffix(strings.Repeat("1,", 50), ",")
	write(t, curve, `{"name":"even","C":3,"mu":[`+values+`],"iota":[`+values+"]}\n")
	args := []string{"bench", "criteria", "--json", "--curves", curve}
	r := run(t, dir, "", args...)
	r.want(t, exitDone)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	for _, line := range lines {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object["experiment"] != "criteria" {
			t.Errorf("not an object of the experiment: %q", line)
		}
	}
	run(t, dir, "", "bench", "lockstep", "scene:cube", "--width", "20", "--trace", "no/such/place").want(t, exitOutput, "no/such/place: no such file")
	write(t, filepath.Join(dir, "file"), "")
	run(t, dir, "", "bench", "lockstep", "scene:cube", "--width", "20", "--trace", "cube.jsonl").want(t, exitDone)
	run(t, dir, "", "bench", "trace", "cube.jsonl", "--plot", "file/plots").want(t, exitOutput, "file/plots")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := command(t, dir, args...)
	cmd.Stdout = full
	finish(t, cmd).want(t, exitOutput, "standard output", "no space left")
}
