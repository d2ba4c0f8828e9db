package uts

import (
	"math/rand/v2"
	"testing"

	"lockstep/vp/isa"
)

// The twin equals the specification on random and on extreme messages, for every
// number of children, and leaves the messages alone.
func TestSpawnTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	twin := kernelFor(isa.Detect()).spawn
	for n := range batchSize + 1 {
		var want batch
		for w := range want.message {
			for i := range want.message[w] {
				switch r.IntN(8) {
				case 0:
					want.message[w][i] = 0
				case 1:
					want.message[w][i] = ^uint32(0)
				default:
					want.message[w][i] = r.Uint32()
				}
			}
		}
		got := want
		spawn(&want, n)
		twin(&got, n)
		if got.message != want.message {
			t.Fatalf("%d children: the messages have changed", n)
		}
		for w := range want.state {
			for i := range n {
				if got.state[w][i] != want.state[w][i] {
					t.Fatalf("%d children, child %d, word %d: %08x, want %08x", n, i, w, got.state[w][i], want.state[w][i])
				}
			}
		}
	}
}

// The twin writes the messages that the specification writes.
func TestExpandTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	twin := kernelFor(isa.Detect()).expand
	for range 500 {
		stack := make([]parent, 1+r.IntN(20))
		for i := range stack {
			for w := range stack[i].state {
				stack[i].state[w] = r.Uint32()
			}
		}
		var runs []run
		n := 0
		for n < batchSize {
			count := min(1+r.IntN(1<<r.IntN(7)), batchSize-n)
			runs = append(runs, run{r.Uint32N(uint32(len(stack))), r.Uint32N(1000), uint32(n), uint32(count)})
			n += count
			if r.IntN(10) == 0 {
				break
			}
		}
		var got, want batch
		expand(&want, stack, runs)
		twin(&got, stack, runs)
		for w := range want.message {
			for i := range n {
				if got.message[w][i] != want.message[w][i] {
					t.Fatalf("%v: word %d of message %d differs", runs, w, i)
				}
			}
		}
		if got.state != want.state {
			t.Fatalf("%v: a state was written", runs)
		}
	}
}

func BenchmarkSpawn(b *testing.B) {
	for _, level := range []isa.Level{isa.Generic, isa.Detect()} {
		b.Run("isa="+level.String(), func(b *testing.B) {
			twin, batch := kernelFor(level).spawn, new(batch)
			for b.Loop() {
				twin(batch, batchSize)
			}
			b.ReportMetric(float64(b.N)*batchSize/b.Elapsed().Seconds()/1e6, "Mhash/s")
		})
	}
}
