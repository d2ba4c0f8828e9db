package uts

import (
	"math/rand/v2"
	"testing"

	"lockstep/vp/isa"
)

// randomBatch fills a stack and a batch with runs of up to most children, n in
// all.
func randomBatch(r *rand.Rand, t *Tree, n, most int) (*batch, []parent) {
	b := newBatch()
	var stack []parent
	for at := 0; at < n; {
		v := parent{depth: r.Uint32N(20)}
		for w := range v.state {
			v.state[w] = []uint32{0, ^uint32(0), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}[r.IntN(6)]
		}
		v.low = r.Uint32N(1 << r.IntN(12))
		v.high = v.low + 1 + r.Uint32N(uint32(most))
		stack = append(stack, v)
		at += int(b.add(len(stack)-1, &stack[len(stack)-1], uint32(at), uint32(n-at), t))
	}
	return b, stack
}

// The kernels equal the specification on random and on extreme parents, for every
// number of children and runs of every length, and leave the parents alone.
func TestKernels(t *testing.T) {
	tree, _ := sample(t, "T1")
	r := rand.New(rand.NewPCG(1, 1))
	for name, kernel := range kernels() {
		for n := range batchSize + 1 {
			for _, most := range []int{1, 2, 5, 20, 200} {
				want, stack := randomBatch(r, tree, n, most)
				got, before := *want, append([]parent(nil), stack...)
				spawn(want, stack, n)
				kernel(&got, stack, n)
				for i := range stack {
					if stack[i] != before[i] {
						t.Fatalf("%s, %d children: parent %d has changed", name, n, i)
					}
				}
				for i := range n {
					if got.children[i].state != want.children[i].state {
						t.Fatalf("%s, child %d of %d: %08x, want %08x; runs %v", name, i, n, got.children[i].state, want.children[i].state, want.runs)
					}
				}
			}
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	tree, _ := sample(b, "T1")
	for name, kernel := range kernels() {
		b.Run("kernel="+name, func(b *testing.B) {
			batch, stack := randomBatch(rand.New(rand.NewPCG(1, 1)), tree, batchSize, 9)
			for b.Loop() {
				kernel(batch, stack, batchSize)
			}
			b.ReportMetric(float64(b.N)*batchSize/b.Elapsed().Seconds()/1e6, "Mhash/s")
		})
	}
}

// The kernel of every level is among those tested.
func TestKernelFor(t *testing.T) {
	tree, _ := sample(t, "T1")
	for _, level := range isa.Available() {
		b, stack := randomBatch(rand.New(rand.NewPCG(2, 1)), tree, batchSize, 9)
		want := *b
		spawn(&want, stack, batchSize)
		kernelFor(level)(b, stack, batchSize)
		for i := range batchSize {
			if b.children[i].state != want.children[i].state {
				t.Fatalf("%v: child %d differs", level, i)
			}
		}
	}
}
