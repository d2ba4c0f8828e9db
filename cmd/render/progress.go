package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long work may last before a progress bar appears in
// automatic mode: what ends sooner needs none.
const patience = 500 * time.Millisecond

// A progress draws one bar at a time on standard error. It implements
// report.Progress; it shows nothing until it is enabled.
type progress struct {
	w io.Writer

	mu      sync.Mutex
	enabled bool
	delay   time.Duration
	label   string
	total   int64
	done    int64
	began   time.Time
	bar     *progressbar.ProgressBar // nil until it is due
	live    bool
}

// enable sets the mode: auto, never or always.
func (p *progress) enable(mode string, quiet bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch mode {
	case "always":
		p.enabled = true
	case "auto":
		f, ok := p.w.(*os.File)
		p.enabled = ok && !quiet && term.IsTerminal(int(f.Fd()))
		p.delay = patience
	}
}

// watched reports whether anybody may see a bar.
func (p *progress) watched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.enabled
}

// Begin starts a stage of total steps.
func (p *progress) Begin(label string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.total, p.done, p.began, p.live = label, total, 0, time.Now(), true
	p.draw()
}

// Add counts steps of the current stage.
func (p *progress) Add(steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += steps
	p.draw()
}

// End finishes the stage and takes its bar away.
func (p *progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = false
	p.erase()
}

// clear takes the bar away so that a line can be printed; the next step draws
// it again.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
}

// draw shows how far the stage has come; the caller holds the lock.
func (p *progress) draw() {
	if !p.enabled || !p.live || p.total <= 0 || time.Since(p.began) < p.delay {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(p.label),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.bar.Set64(min(p.done, p.total))
}
