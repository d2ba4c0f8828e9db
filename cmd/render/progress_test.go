package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressOfCommand(t *testing.T) {
	dir, mesh := cubeFile(t)
	for _, c := range []struct {
		args string
		bars bool
	}{
		{"", false}, // no terminal
		{"--progress never", false},
		{"--progress always", true},
	} {
		args := append(strings.Fields(c.args), "animate", mesh, "--turntable", "--frames", "3", "-s", "16", "-o", "out")
		r := run(t, dir, "", args...)
		r.want(t, exitDone)
		if got := strings.Contains(r.stderr, "drawing"); got != c.bars || !c.bars && r.stderr != "" {
			t.Errorf("%s: standard error %q", c.args, r.stderr)
		}
		if r.stdout != "" {
			t.Errorf("%s: standard output %q", c.args, r.stdout)
		}
	}
}

func TestProgressWaits(t *testing.T) {
	var w bytes.Buffer
	p := &progress{w: &w, enabled: true, delay: time.Hour}
	p.Begin("work", 10)
	p.Add(5)
	p.End()
	if w.Len() > 0 {
		t.Errorf("short work shows %q", w.String())
	}
	p.delay = 0
	p.Begin("work", 10)
	p.Add(5)
	p.clear()
	p.Add(50) // more than was promised
	p.End()
	if !strings.Contains(w.String(), "work") {
		t.Errorf("work that lasts shows %q", w.String())
	}
	w.Reset()
	p.enabled = false
	p.Begin("nobody", 1)
	p.Add(1)
	p.End()
	if w.Len() > 0 {
		t.Errorf("disabled progress shows %q", w.String())
	}
}

// A bar is as long as the part that is done, says what is left, and leaves nothing.
func TestProgressBar(t *testing.T) {
	var w bytes.Buffer
	p := &progress{w: &w, enabled: true}
	p.Begin("reading", 4)
	p.drawn = time.Time{}
	p.Add(1)
	p.drawn = time.Time{}
	p.Add(2)
	p.Add(1) // too soon to be drawn
	p.End()
	want := []string{
		"reading   0 % [                              ]",
		"reading  25 % [=======                       ] 0s left",
		"reading  75 % [======================        ] 0s left",
		strings.Repeat(" ", 54),
		"",
	}
	if got := strings.Split(w.String(), "\r")[1:]; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}
