package meshtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// Mutants reads n mutants: each is a mesh or one error with a type, and takes no more memory than
// the limit of the options and some megabytes more while lists grow. Some have to be meshes, some are to be refused
// because of their size and some because of their damage.
func Mutants(t *testing.T, reader format.Format, n int, seed uint64, mutate func(r *rand.Rand) string) {
	t.Helper()
	const limit = 64 << 20
	r := rand.New(rand.NewPCG(seed, 2))
	outcomes := make(map[string]int)
	var slowest time.Duration
	var largest uint64
	for i := range n {
		file := mutate(r)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // of a read that hangs
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		m, _, err := format.Read(ctx, strings.NewReader(file), scenes.ReadOptions{MaxMemory: limit, Workers: 1}, reader)
		slowest = max(slowest, time.Since(start))
		cancel()
		runtime.ReadMemStats(&after)
		largest = max(largest, after.TotalAlloc-before.TotalAlloc)
		// All that a read allocates, most of which is garbage before its end: lists that grow are copied.
		if took := after.TotalAlloc - before.TotalAlloc; took > 5*limit+64*uint64(len(file)) {
			t.Errorf("%d: %d bytes of memory for a file of %d", i, took, len(file))
		}
		outcome := outcomeOf(m, err)
		if outcome == "" {
			t.Fatalf("%d: %v: %q", i, err, file)
		}
		outcomes[outcome]++
	}
	if outcomes["mesh"] == 0 || outcomes["damage"]+outcomes["unknown"] == 0 {
		t.Errorf("%v: the changes are too small or too large", outcomes)
	}
	t.Logf("%v, at most %v and %d MiB", outcomes, slowest, largest>>20)
}

// outcomeOf names what became of a read; empty if it is an error without a type.
func outcomeOf(m *scenes.Mesh, err error) string {
	var damage *scenes.DamageError
	var limit *scenes.LimitError
	switch {
	case err == nil && m.Len() == 0:
		return "none"
	case err == nil:
		return "mesh"
	case errors.As(err, &damage):
		return "damage"
	case errors.As(err, &limit):
		return "limit"
	case errors.Is(err, scenes.ErrUnknownFormat):
		return "unknown"
	}
	return ""
}
