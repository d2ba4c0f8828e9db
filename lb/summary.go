package lb

import (
	"fmt"
	"math"
)

// A Summary is what the information-gathering phase finds about a workload, the number of tasks of each processor.
type Summary struct {
	Max    int32 // largest workload: the number of iterations if no task moves
	Sum    int64 // tasks of all processors
	Active int   // processors with tasks
	Idle   int   // processors without tasks
}

// Gather summarizes a workload, which has one element per processor. It panics if an element is negative. It takes one
// pass without branches.
func Gather(workload []int32) Summary {
	// As an unsigned number, a negative workload is larger than any other. The loop keeps two maxima, because the
	// processor can update two independent maxima at the same time.
	largest, second, sum, idle := uint32(0), uint32(0), uint64(0), uint32(0)
	even := len(workload) &^ 1
	for i := 0; i < even; i += 2 {
		v, w := uint32(workload[i]), uint32(workload[i+1])
		largest, second = max(largest, v), max(second, w)
		sum += uint64(v) + uint64(w)
		idle += (v-1)>>31 + (w-1)>>31 // a workload of 0 adds 1, any other 0
	}
	for _, left := range workload[even:] {
		largest = max(largest, uint32(left))
		sum += uint64(uint32(left))
		idle += (uint32(left) - 1) >> 31
	}
	largest = max(largest, second)
	if largest > math.MaxInt32 {
		panic("lb: Gather: negative workload")
	}
	return Summary{
		Max: int32(largest), Sum: int64(sum),
		Active: len(workload) - int(idle), Idle: int(idle),
	}
}

// Processors returns the number of processors, active or idle.
func (s Summary) Processors() int { return s.Active + s.Idle }

// Balanced returns ceil(Sum/Processors()), the largest workload after an even division. No plan can make it smaller.
func (s Summary) Balanced() int32 {
	if s.Sum == 0 {
		return 0
	}
	return int32(ceilDiv(s.Sum, int64(s.Processors())))
}

// SavingsBound returns an upper bound of the iterations that the next redistribution saves, whether it happens now or
// later.
//
// Proof. N processors can share S tasks no better than ceil(S/N) each. So the savings now are at most M - ceil(S/N),
// where M is the largest workload. After d more iterations the largest workload is M-d, and at least S-dN tasks are
// left, because no iteration solves more than N. The savings are then at most
//
//	M-d - ceil((S-dN)/N) = M-d - (ceil(S/N)-d) = M - ceil(S/N),
//
// the same bound. (If S-dN is not positive, more tasks than that are left, which only lowers the savings.)
func (s Summary) SavingsBound() int32 { return s.Max - s.Balanced() }

// bestMaxBounds returns bounds of the largest workload after the best plan. The lower bound is the largest workload of
// an even division. The upper bound is T = ceil((S-A)/I), where S is the number of tasks, A the number of active
// processors and I the number of idle ones. A plan can reach T: an active processor with w tasks needs floor((w-1)/T)
// helpers. The sum over all active processors is at most (S-A)/T, and so at most I.
func (s Summary) bestMaxBounds() (lo, hi int32) {
	lo, hi = s.Balanced(), s.Max
	if s.Idle > 0 {
		hi = int32(min(int64(hi), max(1, ceilDiv(s.Sum-int64(s.Active), int64(s.Idle)))))
	}
	return lo, max(lo, hi)
}

// MaxAfter returns the largest workload that a plan leaves. Processor p shares its tasks with allotted[p] helpers. So
// each of them is left with at most ceil(workload[p]/(1+allotted[p])) tasks. It panics if the slices differ in length.
func MaxAfter(workload, allotted []int32) int32 {
	if len(workload) != len(allotted) {
		panic(fmt.Sprintf("lb: MaxAfter: %d workloads, a plan for %d", len(workload), len(allotted)))
	}
	largest := int32(0)
	for p, left := range workload {
		// Most processors do not raise the largest workload so far. The multiplication finds these processors without
		// the slower division.
		if sharers := int64(allotted[p]) + 1; int64(left) > int64(largest)*sharers {
			largest = int32(ceilDiv(int64(left), sharers))
		}
	}
	return largest
}

// ceilDiv returns a/b rounded up, for a >= 0 and b > 0.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
