package scan

import "lockstep/vp/machine"

// minLength is the least length for which a parallel scan saves time. A Run costs about 5 microseconds. A sequential
// +-scan (prefix sum) takes 0.25 ns per element. The two passes of a parallel scan take about 0.35 ns of one worker's
// time (BenchmarkScan). So with two workers both take the same time near 67,000 elements. It is a variable only because
// tests also split short sequences.
var minLength = 1 << 16

// sequential reports whether a scan of n elements runs on the caller alone. Scans call it before they make the
// functions for twoPass, which are allocated on the heap.
func sequential(m *machine.Machine, n int) bool {
	return m == nil || m.Workers() == 1 || n < minLength
}

// twoPass runs a parallel scan over the indices 0 to n-1, in two passes. First, each worker summarises one contiguous
// part. Then each worker calls sweep for its part, with the joined summaries of the parts before it. twoPass returns
// the result of sweep for the last part. join must be associative, and zero must be its neutral element.
func twoPass[S any](m *machine.Machine, n int, zero S,
	summarise func(lo, hi int) S,
	join func(a, b S) S,
	sweep func(lo, hi int, before S) S,
) (total S) {
	// The elements need no padding against false sharing of cache lines, because each is written only once.
	parts := make([]S, m.Workers())
	m.Run(func(worker int) {
		lo, hi := machine.Part(worker, m.Workers(), n)
		parts[worker] = summarise(lo, hi)
		m.Sync()
		before := zero
		for _, part := range parts[:worker] {
			before = join(before, part)
		}
		after := sweep(lo, hi, before)
		if worker == m.Workers()-1 {
			total = after
		}
	})
	return total
}

// reduce divides the indices 0 to n-1 into one part per worker, and joins the summaries of the parts in order.
func reduce[S any](m *machine.Machine, n int, zero S, join func(a, b S) S, summarise func(lo, hi int) S) S {
	parts := make([]S, m.Workers())
	m.Run(func(worker int) {
		parts[worker] = summarise(machine.Part(worker, m.Workers(), n))
	})
	total := zero
	for _, part := range parts {
		total = join(total, part)
	}
	return total
}
