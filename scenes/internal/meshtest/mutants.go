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

// Mutants reads n files that the function mutate makes. Each read must return a mesh or an error of a known type. A
// read must not allocate much more memory than its limit and the copies of growing lists. At least one file must give
// a mesh. At least one file must be refused as damaged or of unknown format. The log names the file that took most
// processor time.
func Mutants(t *testing.T, reader format.Format, n int, seed uint64, mutate func(r *rand.Rand) string) {
	t.Helper()
	const limit = 64 << 20
	r := rand.New(rand.NewPCG(seed, 2))
	outcomes := make(map[string]int)
	var slowest time.Duration
	var largest uint64
	var slowestAt int
	for i := range n {
		file := mutate(r)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // ends a read that hangs
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processorTime()
		m, _, err := format.Read(ctx, strings.NewReader(file), scenes.ReadOptions{MaxMemory: limit, Workers: 1}, reader)
		if took := processorTime() - start; took > slowest {
			slowest, slowestAt = took, i
		}
		cancel()
		runtime.ReadMemStats(&after)
		largest = max(largest, after.TotalAlloc-before.TotalAlloc)
		// TotalAlloc counts everything that a read allocates. Most of it is garbage by the end of the read, because
		// growing lists are copied.
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
	t.Logf("%v, at most %v of processor time (%d) and %d MiB", outcomes, slowest, slowestAt, largest>>20)
}

// outcomeOf classifies the result of a read. It returns "" for an error of unknown type.
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
