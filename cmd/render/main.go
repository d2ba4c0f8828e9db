// Command render turns meshes into pictures. See docs/cli.md for its flags,
// exit codes and statistics.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"lockstep/vp/machine"
)

// gcPercent bounds how much garbage may pile up beside a mesh. Nearly all of the
// heap is the mesh and the frames, which live as long as the process and cost
// the collector nothing to keep, so a low value costs little time and keeps a
// growing input within two and a half times its size.
const gcPercent = 25

// gcPercentSmall is for small meshes, beside which no garbage counts. With 25 the
// collector begins at a megabyte and ran six times for the bunny's picture, now once:
// a tenth of the command's time.
const gcPercentSmall = 400

// grace is how long an interrupted command may take to end by itself.
const grace = 500 * time.Millisecond

func main() {
	debug.SetGCPercent(gcPercentSmall)
	// A reader that goes away shall show as an error of the write.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(int(start(os.Args[1:])))
}

// An app is what every subcommand works with.
type app struct {
	began   time.Time
	stdin   *os.File
	stdout  *os.File
	stderr  io.Writer
	quiet   bool
	outputs *outputs
	// progress follows long work.
	progress *progress
}

// start runs the command line args and returns the exit code. It removes
// what is unfinished, however the command ends.
func start(args []string) exitCode {
	a := &app{
		began:   time.Now(),
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		outputs: &outputs{stdout: os.Stdout, temps: map[string]bool{}},

		progress: &progress{w: os.Stderr},
	}
	ctx, stop := interruptible()
	defer stop()
	done := make(chan error, 1)
	go func() { done <- a.guard(func() error { return a.execute(ctx, args) }) }()

	err := errInterrupted
	select {
	case err = <-done:
	case <-ctx.Done():
		// Reading a pipe or opening a FIFO cannot be called off: what does
		// not end by itself is left behind by the exit.
		select {
		case err = <-done:
		case <-time.After(grace):
		}
	}
	if err != nil && ctx.Err() != nil {
		err = errInterrupted
	}
	a.outputs.close()
	return a.report(err)
}

// guard calls f and turns a panic, its own or one of the workers it used, into
// an error.
func (a *app) guard(f func() error) (err error) {
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
func (a *app) report(err error) exitCode {
	code := codeOf(err)
	if err == nil {
		return code
	}
	a.progress.clear()
	if code == exitInterrupted {
		err = errInterrupted
	}
	fmt.Fprintf(a.stderr, "render: %s\n", oneLine(err.Error()))
	return code
}

// warn prints one line on standard error, unless the user asked for quiet.
func (a *app) warn(format string, args ...any) {
	if a.quiet {
		return
	}
	a.progress.clear()
	fmt.Fprintf(a.stderr, "render: warning: %s\n", oneLine(fmt.Sprintf(format, args...)))
}

// interruptible returns a context that ends with the first signal to stop;
// the second one then has its usual effect.
func interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
