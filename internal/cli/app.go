package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"lockstep/internal/budget"
	"lockstep/internal/phrase"
	"lockstep/render/atomicfile"
	"lockstep/vp/machine"
)

// Streams are the standard files of a program.
type Streams struct {
	Stdin  *os.File
	Stdout *os.File
	Stderr io.Writer
}

// Main runs a program: it calls start with the arguments of the command line, and ends the process with the exit code
// that start returns. start stops early if the channel receives a signal.
func Main(name string, start func(args []string, files Streams, stop <-chan os.Signal) Code) {
	// The limits are checked first, because listening for signals already needs a thread.
	if err := errors.Join(budget.CheckLimits(), budget.CheckStart()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, phrase.OneLine(err.Error()))
		os.Exit(int(Usage))
	}
	stop := Listen()
	debug.SetGCPercent(budget.GCSmallMesh)
	os.Exit(int(start(os.Args[1:], Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, stop)))
}

// An App holds the streams, output files and progress of a program for all its commands.
type App struct {
	Streams
	Name  string // name of the program, the beginning of its messages
	Began time.Time
	Quiet bool
	Child atomic.Bool // set if another command started this process and reports interruptions itself
	// Files creates the output files, except standard output.
	Files atomicfile.Set
	// Progress shows the progress of long work.
	Progress *Progress
}

// New returns the App of a program.
func New(name string, files Streams) *App {
	return &App{Name: name, Streams: files, Began: time.Now(), Progress: &Progress{w: files.Stderr}}
}

// endTime is how long an interrupted command may take to end before the process exits anyway.
const endTime = 500 * time.Millisecond

// Run executes a command line until it ends or the channel stop receives a signal. It returns the exit code. In either
// case it removes unfinished files.
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
		ended <- a.printError(err)
	}()
	select {
	case code := <-ended:
		return code
	case <-stop: // the process exits even if printing the error or removing files does not return
		return wait(ended, nil, Interrupted)
	}
}

// wait returns the value from the channel done. It returns `late` instead if the channel `stop` receives a signal, or
// if endTime passes first. In these cases the command may be blocked in reading from a pipe or in opening a named pipe.
// Neither call can be cancelled. Both end only with the process.
func wait[T any](done <-chan T, stop <-chan os.Signal, late T) T {
	select {
	case v := <-done:
		return v
	case <-stop:
	case <-time.After(endTime):
	}
	return late
}

// Guard calls the function f and returns its error. A panic in f, or in a worker of f, becomes an error, too.
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

// printError prints err as one line, unless the error was printed already. It returns the exit code of err.
func (a *App) printError(err error) Code {
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
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, phrase.OneLine(DrawingError(err).Error()))
	return code
}

// Warn prints one line on standard error, unless the user gave --quiet.
func (a *App) Warn(format string, args ...any) {
	if a.Quiet {
		return
	}
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "%s: warning: %s\n", a.Name, phrase.OneLine(fmt.Sprintf(format, args...)))
}

// Say prints one line if standard error is a terminal.
func (a *App) Say(format string, args ...any) {
	if !a.OnTerminal() {
		return
	}
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Name, fmt.Sprintf(format, args...))
}

// OnTerminal reports whether standard error is a terminal and messages are not suppressed.
func (a *App) OnTerminal() bool {
	f, ok := a.Stderr.(*os.File)
	return !a.Quiet && ok && term.IsTerminal(int(f.Fd()))
}
