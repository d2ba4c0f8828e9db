package quality

import (
	"runtime"
	"testing"

	"lockstep/scenes"
)

// TestMemory compares the allocated memory with the result of Memory. The triangles of a mesh share either no vertices
// or all vertices.
func TestMemory(t *testing.T) {
	for _, n := range []int{1000, 30_000, 43_700, 87_400} {
		for _, apart := range []float32{0, 1} {
			m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
			for i := range n {
				x := apart * float32(i)
				m.Set(i, [3][3]float32{{x, 0, 0}, {x, 1, 0}, {x, 0, 1}})
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, ok := Of(m); !ok {
				t.Fatal("too many")
			}
			runtime.ReadMemStats(&after)
			if got := int64(after.TotalAlloc - before.TotalAlloc); got > Memory(n) {
				t.Errorf("%d triangles, %v apart: %d bytes, %.0f each, and %d were promised", n, apart, got, float64(got)/float64(n), Memory(n))
			}
		}
	}
}
