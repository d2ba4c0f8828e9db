//go:build !race

package kernel

// raceEnabled says whether the race detector watches.
const raceEnabled = false

func raceRead[T any]([]T) {}

func raceWrite[T any]([]T) {}
