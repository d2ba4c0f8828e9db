package uts

import (
	"math/rand/v2"
	"slices"
	"testing"
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
		at += int(b.add(len(stack)-1, &stack[len(stack)-1], uint32(at), uint32(n-at), t.rule(v.depth+1)))
	}
	return b, stack
}

// The kernels equal the specification on random and on extreme parents, for every
// number of children and runs of every length, and leave the parents below alone.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"T1", "T3", "T4"} {
		tree, _ := sample(t, name)
		for kind, kernel := range kernels() {
			for n := range batchSize + 1 {
				for _, most := range []int{1, 2, 5, 20, 200} {
					b, want := randomBatch(r, tree, n, most)
					top := r.IntN(len(want) + 1)
					want = append(want, make([]parent, n)...)
					got := slices.Clone(want)
					found, children := visit(tree, b, want, top, n)
					found2, children2 := kernel(tree, b, got, top, n)
					if found2 != found || children2 != children {
						t.Fatalf("%s, %s, %d children: %d have %d, want %d and %d", name, kind, n, found2, children2, found, children)
					}
					if !slices.Equal(got[:top+found], want[:top+found]) {
						t.Fatalf("%s, %s, %d children: %08x, want %08x; runs %v", name, kind, n, got[top:top+found], want[top:top+found], b.runs)
					}
				}
			}
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	tree, _ := sample(b, "T1")
	for kind, kernel := range kernels() {
		b.Run("kernel="+kind, func(b *testing.B) {
			batch, stack := randomBatch(rand.New(rand.NewPCG(1, 1)), tree, batchSize, 9)
			top := len(stack)
			stack = append(stack, make([]parent, batchSize)...)
			for b.Loop() {
				kernel(tree, batch, stack, top, batchSize)
			}
			b.ReportMetric(float64(b.N)*batchSize/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
