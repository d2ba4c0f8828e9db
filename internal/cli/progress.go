package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressDelay is how long work must take before a progress bar appears in automatic mode.
const progressDelay = 500 * time.Millisecond

// A Progress draws one progress bar at a time on standard error. It shows nothing until Enable is called.
type Progress struct {
	w io.Writer

	mu      sync.Mutex
	enabled bool
	delay   time.Duration
	label   string
	unit    string // name of the steps; empty if the rate is not shown
	total   int64
	done    int64
	began   time.Time
	live    bool      // work is in progress
	drawnAt time.Time // when the bar was drawn last; zero means that no bar is visible
	width   int       // width of the visible bar in characters
}

// Enable sets the mode: auto, never or always. If quiet is true, the mode is never.
func (p *Progress) Enable(mode string, quiet bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch mode {
	case "always":
		p.enabled = true
	case "auto":
		f, ok := p.w.(*os.File)
		p.enabled = ok && !quiet && term.IsTerminal(int(f.Fd()))
		p.delay = progressDelay
	}
}

// IsVisible reports whether a bar may be shown.
func (p *Progress) IsVisible() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.enabled
}

// Begin starts a stage of total steps.
func (p *Progress) Begin(label string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.unit, p.total, p.done, p.began, p.live = label, "", total, 0, time.Now(), true
	p.draw()
}

// BeginRate is like Begin, but the bar also shows steps per second.
func (p *Progress) BeginRate(label, unit string, total int64) {
	p.Begin(label, total)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unit = unit
}

// Add adds steps to the current stage.
func (p *Progress) Add(steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += steps
	p.draw()
}

// End ends the stage and removes its bar.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = false
	p.erase()
}

// Clear removes the bar so that a line can be printed. The next step draws the bar again.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *Progress) erase() {
	if !p.drawnAt.IsZero() {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.drawnAt = time.Time{}
	}
}

// A bar is barWidth characters long. Two drawings are at least redrawInterval apart.
const barWidth, redrawInterval = 30, 100 * time.Millisecond

// draw draws the bar. The caller holds the lock.
func (p *Progress) draw() {
	elapsed := time.Since(p.began)
	if !p.enabled || !p.live || p.total <= 0 || elapsed < p.delay || time.Since(p.drawnAt) < redrawInterval {
		return
	}
	part := float64(min(p.done, p.total)) / float64(p.total)
	bar := fmt.Sprintf("%s %3.0f %% [%-*s]", p.label, 100*part, barWidth, strings.Repeat("=", int(barWidth*part)))
	if p.done > 0 {
		if p.unit != "" {
			bar += fmt.Sprintf(" %d of %d, %.0f %s/s,", p.done, p.total, float64(p.done)/elapsed.Seconds(), p.unit)
		}
		left := time.Duration(float64(elapsed) * (1 - part) / part)
		bar += fmt.Sprintf(" %v left", left.Round(time.Second))
	}
	fmt.Fprintf(p.w, "\r%-*s", p.width, bar)
	p.width, p.drawnAt = len(bar), time.Now()
}
