package main

import (
	"fmt"
	"sync"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
)

// An app is what every subcommand works with.
type app struct {
	*cli.App
	memory   budget.Account      // see measure
	accounts chan budget.Account // delivers it once
	measured sync.Once
	// noteContents has the contents of files noted, see input.contents: pictures say them.
	noteContents bool
	// keepCompared has both meshes of a comparison kept, see input.Compared.
	keepCompared bool
}

// measure waits for the memory that there is before anything is read, the first time.
func (a *app) measure() {
	a.measured.Do(func() {
		a.memory = <-a.accounts
		a.memory.LimitHeap()
	})
}

// warnUnheeded warns of flags of the command line that do not count.
func (a *app) warnUnheeded(f *pictureflags.Draw, b pictureflags.RuleContext, more ...pictureflags.Rule) {
	for _, warning := range f.Ignored(b, more...) {
		a.Warn("%s", warning)
	}
}

// fail prints why one of several meshes failed.
func (a *app) fail(err error) {
	a.Progress.Clear()
	fmt.Fprintf(a.Stderr, "render: %s\n", phrase.OneLine(cli.DrawingError(err).Error()))
}
