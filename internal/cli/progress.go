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

// progressDelay is how long work may last before a progress bar appears in
// automatic mode: what ends sooner needs none.
const progressDelay = 500 * time.Millisecond

// A Progress draws one bar at a time on standard error. It implements
// the experiments' Progress; it shows nothing until it is enabled.
type Progress struct {
	w io.Writer

	mu      sync.Mutex
	enabled bool
	delay   time.Duration
	label   string
	unit    string // of steps that are counted by the second; else empty
	total   int64
	done    int64
	began   time.Time
	live    bool
	drawn   time.Time // zero where no bar is shown
	width   int       // of the bar that is shown, in characters
}

// Enable sets the mode: auto, never or always.
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

// Visible reports whether a bar may be shown.
func (p *Progress) Visible() bool {
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

// BeginRate is Begin for steps that are also shown by the second.
func (p *Progress) BeginRate(label, unit string, total int64) {
	p.Begin(label, total)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unit = unit
}

// Add counts steps of the current stage.
func (p *Progress) Add(steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += steps
	p.draw()
}

// End finishes the stage and takes its bar away.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = false
	p.erase()
}

// Clear takes the bar away so that a line can be printed; the next step draws
// it again.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *Progress) erase() {
	if !p.drawn.IsZero() {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.drawn = time.Time{}
	}
}

// barWidth is the length of a bar in characters, redraw the time between two drawings.
const barWidth, redraw = 30, 100 * time.Millisecond

// draw shows how far the stage has come; the caller holds the lock.
func (p *Progress) draw() {
	elapsed := time.Since(p.began)
	if !p.enabled || !p.live || p.total <= 0 || elapsed < p.delay || time.Since(p.drawn) < redraw {
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
	p.width, p.drawn = len(bar), time.Now()
}
