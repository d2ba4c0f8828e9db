// Command render turns meshes into pictures. See docs/cli.md for its flags,
// exit codes and statistics.
package main

import (
	"context"
	"os"
	"runtime"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
)

func main() {
	runtime.MemProfileRate = 0 // memory profiles are not used, and recording stacks took 0.6 % of a picture's time
	cli.Main("render", start)
}

// start runs the command line args and returns the exit code. It always removes unfinished files before it returns.
func start(args []string, files cli.Streams, stop <-chan os.Signal) cli.Code {
	a := &app{App: cli.New("render", files), accounts: make(chan budget.Account, 1)}
	go func() { a.accounts <- budget.New() }() // memory is measured while the arguments are parsed
	return a.Run(stop, func(ctx context.Context) error { return a.execute(ctx, args) })
}
