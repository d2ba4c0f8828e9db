package main

import (
	"fmt"
	"sync"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
)

// An app holds the streams, the memory budget and the options of a subcommand.
type app struct {
	*cli.App
	memory   budget.Account      // memory that may be used; measureMemory sets it
	accounts chan budget.Account // receives the memory account once, from the goroutine that measures it
	measured sync.Once
	// noteContents requests a hash of the contents of mesh files, for the metadata of pictures.
	noteContents bool
	// keepCompared requests that both meshes of a comparison stay in memory, in recipe.Input.Compared.
	keepCompared bool
}

// measureMemory sets the memory account and limits the heap. Only the first call has an effect. It must be called
// before any mesh is read.
func (a *app) measureMemory() {
	a.measured.Do(func() {
		a.memory = <-a.accounts
		a.memory.LimitHeap()
	})
}

// warnIgnored warns of flags on the command line that have no effect.
func (a *app) warnIgnored(f *pictureflags.Draw, b pictureflags.RuleContext, more ...pictureflags.Rule) {
	for _, warning := range f.Ignored(b, more...) {
		a.Warn("%s", warning)
	}
}

// printFailure prints the error of one of several meshes.
func (a *app) printFailure(err error) {
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "render: %s\n", phrase.OneLine(cli.DrawingError(err).Error()))
}
