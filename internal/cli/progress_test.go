package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressWaits(t *testing.T) {
	var w bytes.Buffer
	p := &Progress{w: &w, enabled: true, delay: time.Hour}
	p.Begin("work", 10)
	p.Add(5)
	p.End()
	if w.Len() > 0 {
		t.Errorf("short work shows %q", w.String())
	}
	p.delay = 0
	p.Begin("work", 10)
	p.Add(5)
	p.Clear()
	p.Add(50) // more steps than announced
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

// TestProgressBar checks the length of the bar, the estimate of the remaining time, and that the bar is removed.
func TestProgressBar(t *testing.T) {
	var w bytes.Buffer
	p := &Progress{w: &w, enabled: true}
	p.Begin("reading", 4)
	p.drawnAt = time.Time{}
	p.Add(1)
	p.drawnAt = time.Time{}
	p.Add(2)
	p.Add(1) // too soon after the last drawing
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

func TestProgressRate(t *testing.T) {
	var w bytes.Buffer
	p := &Progress{w: &w, enabled: true}
	p.BeginRate("drawing", "files", 10)
	p.began, p.drawnAt = p.began.Add(-2*time.Second), time.Time{}
	p.Add(5)
	if got := w.String(); !strings.Contains(got, "5 of 10, 2 files/s, 2s left") {
		t.Errorf("bar %q", got)
	}
}
