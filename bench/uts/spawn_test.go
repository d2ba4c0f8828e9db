package uts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBatch fills a stack and a batch with n random children. They form runs, and each run has at most most children.
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
		at += int(b.add(len(stack)-1, &stack[len(stack)-1], uint32(at), uint32(n-at), t.tableIndex(v.depth+1)))
	}
	return b, stack
}

// TestKernels checks that the kernels equal the specification on random and extreme parents, for every number of
// children and every length of runs. Parents that lie below on the stack must not change.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"T1", "T3", "T4"} {
		tree, _ := sample(t, name)
		for kind, kernel := range kernels() {
			for n := range batchSize + 1 {
				for _, most := range []int{1, 2, 5, 20, 200} {
					b, want := randomBatch(r, tree, n, most)
					top := r.IntN(len(want) + 1)
					want = append(want, make([]parent, n+overrun)...)
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
			stack = append(stack, make([]parent, batchSize+overrun)...)
			for b.Loop() {
				kernel(tree, batch, stack, top, batchSize)
			}
			b.ReportMetric(float64(b.N)*batchSize/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}

// TestKernelsAtThresholds checks that a random number equal to the threshold of its cell counts as above it.
func TestKernelsAtThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for kind, kernel := range kernels() {
		tree, _ := sample(t, "T1")
		b, want := randomBatch(r, tree, batchSize, 9)
		b.hashChildren(want)
		for i, entry := range b.entries[:batchSize] {
			random := b.children[i].state[4] & lastRandom
			tree.cells[b.runs[entry>>16].table+cellIndex(random)] = tableCell{random, 3, 5}
		}
		want = append(want, make([]parent, batchSize+overrun)...)
		got := slices.Clone(want)
		found, children := visit(tree, b, want, 0, batchSize)
		found2, children2 := kernel(tree, b, got, 0, batchSize)
		if found2 != found || children2 != children || !slices.Equal(got[:found], want[:found]) {
			t.Errorf("%s: %d have %d children, want %d and %d", kind, found2, children2, found, children)
		}
	}
}

// TestExact checks that the tables are exact if each cell has at most two different numbers of children.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		params Params
		want   bool
	}{
		{Params{Kind: Geometric, Shape: Fixed, Branches: 4, Depth: 10}, true},
		{Params{Kind: Geometric, Shape: Linear, Branches: 90, Depth: 10}, false}, // thresholds are dense only for the root
		{Params{Kind: Geometric, Shape: Linear, Branches: 4, Depth: maxTables - 2}, true},
		{Params{Kind: Geometric, Shape: Linear, Branches: 4, Depth: maxTables}, false}, // the greatest depths have no tables
		{Params{Kind: Binomial, Branches: 2000, Q: 0.4, M: 2}, true},
	} {
		tree, err := New(c.params)
		if err != nil {
			t.Fatal(err)
		}
		if tree.exact != c.want {
			t.Errorf("%+v: exact %v", c.params, tree.exact)
		}
	}
}
