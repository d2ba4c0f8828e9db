package machine

import (
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func TestRangesOfOneWorkerAreInOrder(t *testing.T) {
	r := new(Ranges)
	for _, n := range []int{0, 1, 2, 7, 100} {
		r.Reset(1, n)
		for want := range n {
			if got, ok := r.Next(0); !ok || got != want {
				t.Fatalf("n=%d: Next = %d, %v; want %d", n, got, ok, want)
			}
		}
		if got, ok := r.Next(0); ok {
			t.Fatalf("n=%d: got %d after the last index", n, got)
		}
	}
}

// Of 10 indices, two workers start with 0-4 and 5-9. Worker 1 uses its five indices and then repeatedly takes the
// back half of the indices that worker 0 has left.
func TestRangesStealTheBackHalfOfTheLargest(t *testing.T) {
	r := new(Ranges)
	r.Reset(2, 10)
	if first, _ := r.Next(0); first != 0 {
		t.Fatalf("worker 0 starts at %d", first)
	}
	var got []int
	for {
		index, ok := r.Next(1)
		if !ok {
			break
		}
		got = append(got, index)
	}
	if want := []int{5, 6, 7, 8, 9, 3, 4, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("worker 1 got %v, want %v", got, want)
	}

	r.Reset(3, 12) // workers start with 0-3, 4-7 and 8-11
	r.NextBatch(0, 3)
	r.NextBatch(2, 4)
	if lo, hi, ok := r.NextBatch(2, 4); !ok || lo != 6 || hi != 8 {
		t.Errorf("the largest range left is 4-7, worker 2 got %d to %d, %v", lo, hi-1, ok)
	}
}

// TestRangesSequentialProperty checks that every index comes out exactly once, in whatever order the workers call.
func TestRangesSequentialProperty(t *testing.T) {
	r := new(Ranges)
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 9).Draw(t, "workers")
		n := rapid.IntRange(0, 200).Draw(t, "n")
		r.Reset(workers, n)
		seen := make([]int, n)
		for {
			worker := rapid.IntRange(0, workers-1).Draw(t, "worker")
			lo, hi, ok := r.NextBatch(worker, rapid.IntRange(1, 12).Draw(t, "limit"))
			if !ok {
				break // with one goroutine no range is being moved, so no index is left
			}
			for i := lo; i < hi; i++ {
				seen[i]++
			}
		}
		for i, times := range seen {
			if times != 1 {
				t.Fatalf("index %d came out %d times", i, times)
			}
		}
	})
}

func TestRangesConcurrently(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		r := new(Ranges)
		for _, n := range []int{0, 1, workers - 1, workers + 1, 1000, 20000} {
			r.Reset(workers, n)
			seen := make([]atomic.Int32, n)
			m.Run(func(worker int) {
				for {
					lo, hi, ok := r.NextBatch(worker, 1+worker) // batches differ in length on purpose
					if !ok {
						return
					}
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				}
			})
			for i := range seen {
				if got := seen[i].Load(); got != 1 {
					t.Fatalf("%d workers, n=%d: index %d came out %d times", workers, n, i, got)
				}
			}
		}
	}
}

// TestRangesOfAnAbsentWorker checks that other workers get all the indices of a worker that never calls.
func TestRangesOfAnAbsentWorker(t *testing.T) {
	r := new(Ranges)
	r.Reset(4, 1000)
	count := 0
	for {
		if _, ok := r.Next(3); !ok {
			break
		}
		count++
	}
	if count != 1000 {
		t.Errorf("worker 3 alone got %d of 1000 indices", count)
	}
}

func TestRangesLimits(t *testing.T) {
	r := new(Ranges)
	for _, bad := range [][2]int{{0, 1}, {1, -1}, {-1, 0}} {
		if catch(func() { r.Reset(bad[0], bad[1]) }) == nil {
			t.Errorf("Reset(%d, %d) did not panic", bad[0], bad[1])
		}
	}
	const most = 1<<31 - 1
	r.Reset(3, most)
	if lo, hi, ok := r.NextBatch(2, most); !ok || hi != most || lo != most/3*2+most%3*2/3 {
		t.Errorf("the last third of %d indices is %d to %d, %v", most, lo, hi, ok)
	}
	if catch(func() { r.NextBatch(0, 0) }) == nil {
		t.Error("NextBatch with limit 0 did not panic")
	}
}

func BenchmarkRanges(b *testing.B) {
	r := new(Ranges)
	sum := 0
	for range b.N {
		r.Reset(2, 1000)
		for {
			i, ok := r.Next(1)
			if !ok {
				break
			}
			sum += i
		}
	}
	if sum != b.N*(999*1000/2) {
		b.Fatal("indices lost")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/index")
	b.ReportMetric(0, "ns/op")
}
