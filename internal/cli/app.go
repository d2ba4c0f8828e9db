package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"lockstep/render/atomicfile"
	"lockstep/vp/machine"
)

// Streams are the standard files of a program.
type Streams struct {
	Stdin  *os.File
	Stdout *os.File
	Stderr io.Writer
}

// An App is what every command of a program works with.
type App struct {
	Streams
	Name  string // of the program, which begins its messages
	Began time.Time
	Quiet bool
	Child atomic.Bool // of a command, which says itself that it was interrupted
	// Files are the outputs, but for standard output.
	Files atomicfile.Set
	// Progress follows long work.
	Progress *Progress
}

// New returns the app of a program.
func New(name string, files Streams) *App {
	return &App{Name: name, Streams: files, Began: time.Now(), Progress: &Progress{w: files.Stderr}}
}

// grace is how long an interrupted command may take to end by itself.
const grace = 500 * time.Millisecond

// Run executes a command line, which a signal of stop ends, and returns the exit code. It removes unfinished files,
// however the command ends.
func (a *App) Run(stop <-chan os.Signal, execute func(context.Context) error) Code {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Guard(func() error { return execute(ctx) }) }()

	var err error
	select {
	case err = <-done:
	case <-stop:
		cancel()
		err = wait(done, stop, ErrInterrupted)
	}
	if err != nil && ctx.Err() != nil {
		err = ErrInterrupted
	}
	ended := make(chan Code, 1)
	go func() {
		a.Files.Close()
		ended <- a.report(err)
	}()
	select {
	case code := <-ended:
		return code
	case <-stop: // a folder or standard error may be out of reach
		return wait(ended, nil, Interrupted)
	}
}

// wait returns the value that comes from done, or late if a signal to stop comes
// first or grace has passed: reading a pipe or opening a named one cannot be called
// off, and is left behind by the exit.
func wait[T any](done <-chan T, stop <-chan os.Signal, late T) T {
	select {
	case v := <-done:
		return v
	case <-stop:
	case <-time.After(grace):
	}
	return late
}

// Guard calls f and turns a panic, its own or one of the workers it used, into
// an error.
func Guard(f func() error) (err error) {
	defer func() {
		p := recover()
		if worker, ok := p.(*machine.PanicError); ok {
			p = worker.Value
		}
		if p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}

// report prints err as one line and returns its exit code.
func (a *App) report(err error) Code {
	code := CodeOf(err)
	if err == nil {
		return code
	}
	a.Progress.Clear()
	if errors.Is(err, ErrReported) || code == Interrupted && a.Child.Load() {
		return code
	}
	if code == Interrupted {
		err = ErrInterrupted
	}
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, OneLine(DrawingError(err).Error()))
	return code
}

// Warn prints one line on standard error, unless the user asked for quiet.
func (a *App) Warn(format string, args ...any) {
	if a.Quiet {
		return
	}
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "%s: warning: %s\n", a.Name, OneLine(fmt.Sprintf(format, args...)))
}

// Say prints one line for people at a terminal.
func (a *App) Say(format string, args ...any) {
	if !a.Watched() {
		return
	}
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, fmt.Sprintf(format, args...))
}

// Watched reports whether a person at a terminal reads what is said.
func (a *App) Watched() bool {
	f, ok := a.Stderr.(*os.File)
	return !a.Quiet && ok && term.IsTerminal(int(f.Fd()))
}
