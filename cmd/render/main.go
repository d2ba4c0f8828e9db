// Command render turns meshes into pictures. See docs/cli.md for its flags,
// exit codes and statistics.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
)

func main() {
	runtime.MemProfileRate = 0 // memory profiles are not used, and recording stacks took 0.6 % of a picture's time
	// Check the resource limits first, because listening for signals already needs a thread.
	for _, check := range []func() error{budget.CheckLimits, budget.CheckStart} {
		if err := check(); err != nil {
			fmt.Fprintf(os.Stderr, "render: %s\n", err)
			os.Exit(int(cli.Usage))
		}
	}
	stop := cli.Listen()
	debug.SetGCPercent(budget.GCSmallMesh)
	os.Exit(int(start(os.Args[1:], cli.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, stop)))
}

// start runs the command line args and returns the exit code. It always removes unfinished files before it returns.
func start(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code {
	a := &app{App: cli.New("render", files), accounts: make(chan budget.Account, 1)}
	go func() { a.accounts <- budget.New() }() // memory is measured while the arguments are parsed
	return a.Run(stop, func(ctx context.Context) error { return a.execute(ctx, args) })
}
