package main

import (
	"fmt"
	"runtime/debug"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/render/recipe"
)

// An app holds the streams, progress, warnings and files of every command.
type app struct{ *cli.App }

// memory returns the memory budget for a film.
func memory() recipe.Memory {
	account := budget.New()
	account.LimitHeap()
	return &account
}

// print prints a line that the user requested by a flag.
func (a *app) print(line string) {
	a.Progress.Clear()
	fmt.Fprintln(a.Stderr, line)
}

// newDrawer returns a drawer for the films of this program. account limits its memory.
func (a *app) newDrawer(account *budget.Account) *recipe.Drawer {
	account.LimitHeap()
	return &recipe.Drawer{
		Memory:  account,
		Warn:    func(line string) { a.Warn("%s", recipe.FlagWords(line)) },
		Loading: func() { debug.SetGCPercent(budget.GCWithMesh) },
	}
}

// program is the name of this program.
const program = "renderfarm"
