// Command render turns meshes into pictures. See docs/cli.md for its flags,
// exit codes and statistics.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
)

func main() {
	runtime.MemProfileRate = 0 // nothing here shows it, and stacks of allocations were 0.6 % of a picture's time
	// First of all: even to listen to signals takes a thread.
	for _, check := range []func() error{budget.CheckLimits, budget.CheckStart} {
		if err := check(); err != nil {
			fmt.Fprintf(os.Stderr, "render: %s\n", err)
			os.Exit(int(cli.Usage))
		}
	}
	stop := cli.Listen()
	debug.SetGCPercent(budget.GCSmall)
	os.Exit(int(start(os.Args[1:], cli.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, stop)))
}

// An app is what every subcommand works with.
type app struct {
	*cli.App
	memory   budget.Account      // see measure
	accounts chan budget.Account // delivers it once
	measured sync.Once
	// noteContents has the contents of files noted, see input.contents: pictures say them.
	noteContents bool
}

// start runs the command line args and returns the exit code. It removes
// unfinished files, however the command ends.
func start(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code {
	a := &app{App: cli.New("render", files), accounts: make(chan budget.Account, 1)}
	go func() { a.accounts <- budget.New() }() // while arguments are parsed
	return a.Run(stop, func(ctx context.Context) error { return a.execute(ctx, args) })
}

// measure waits for the memory that there is before anything is read, the first time.
func (a *app) measure() {
	a.measured.Do(func() {
		a.memory = <-a.accounts
		a.memory.LimitHeap()
	})
}

// announce prints one line about what was written, for people at a terminal.
func (a *app) announce(w *pipeline, name string, counts ...string) {
	if name == "-" {
		name = "standard output"
	}
	counts = append(counts, fmt.Sprintf("%dx%d", w.Width, w.Height), cli.Plural(int64(w.Input.Source.Len()), "triangle"),
		fmt.Sprintf("%d ms", time.Since(a.Began).Milliseconds()))
	a.Say("%s: %s", cli.OneLine(name), strings.Join(counts, ", "))
}
