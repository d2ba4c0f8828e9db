package main

import (
	"fmt"
	"runtime/debug"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/render/recipe"
)

// An app is what every command works with.
type app struct{ *cli.App }

// memory measures what there is, for a film that is opened.
func memory() recipe.Memory {
	account := budget.New()
	account.LimitHeap()
	return &account
}

// print prints a line that the user asked for.
func (a *app) print(line string) {
	a.Progress.Clear()
	fmt.Fprintln(a.Stderr, line)
}

// drawer returns how this program draws, within an account of memory.
func (a *app) drawer(account *budget.Account) *recipe.Drawer {
	account.LimitHeap()
	return &recipe.Drawer{
		Memory:  account,
		Warn:    func(line string) { a.Warn("%s", recipe.FlagWords(line)) },
		Loading: func() { debug.SetGCPercent(budget.GCBeside) },
	}
}

// program is its name.
const program = "renderfarm"
