package flowshop

import (
	"encoding/binary"
	"math/bits"
)

// An interval is the range of permutations with the numbers begin to end-1, see Search.
type interval struct{ begin, end uint64 }

// Amount implements overlay.Pool.
func (p *Pool) Amount() float64 { return float64(p.remaining()) }

// remaining returns the number of permutations that have not been ruled out. With Options.Lengths it returns the sum of
// the lengths of the intervals.
func (p *Pool) remaining() uint64 {
	left := uint64(0)
	for _, w := range p.waiting {
		left += w.end - w.begin
	}
	if p.search.lengths {
		if next, any := p.nextPermutation(); any {
			left += p.current.end - next
		}
		return left
	}
	for d := 0; d <= p.depth; d++ {
		for rest := p.frames[d].pending; rest != 0; rest &= rest - 1 {
			part := p.childInterval(d, bits.TrailingZeros32(rest))
			left += part.end - part.begin
		}
	}
	return left
}

// childInterval returns the part of a child that is in the current interval. It may be empty. The child fixes job in
// addition to the jobs of the sub-problem at this depth.
func (p *Pool) childInterval(depth, job int) interval {
	begin := p.firstPermutation(depth, job)
	end := min(begin+p.childSize(depth), p.current.end)
	begin = min(max(begin, p.current.begin), end)
	return interval{begin, end}
}

// Split implements overlay.Pool. It gives away the last of the remaining permutations.
func (p *Pool) Split(fraction float64) []byte {
	left := p.remaining()
	if fraction >= 1 {
		return p.giveAway(left)
	}
	return p.giveAway(p.parcelSize(fraction*float64(left), left))
}

// parcelSize returns how many permutations to give away. The giver has `left` permutations, and is asked for `want` of
// them. A grain is the number of permutations of a sub-problem with 9/16 of the jobs free. Giver and receiver get at
// least a grain each; if that is impossible, parcelSize returns 0.
//
// Searching such a sub-problem takes a few steps or none, and the receiver needs as many steps to reach it from the
// root. Without this limit, peers with the protocol BTD share smaller and smaller parts, and take up to 38 steps where
// one step is needed.
func (p *Pool) parcelSize(want float64, left uint64) uint64 {
	grain := p.search.factorial[p.search.in.Jobs*9/16]
	if p.search.lengths {
		grain = 1
	}
	if left < 2*grain {
		return 0
	}
	return min(max(uint64(want), grain), left-grain)
}

// Take implements overlay.Pool. A unit is a waiting interval or a pending child. The largest units are taken first.
func (p *Pool) Take(units int) []byte {
	want := 0.0
	for i := len(p.waiting) - 1; i >= 0 && units > 0; i-- {
		want += float64(p.waiting[i].end - p.waiting[i].begin)
		units--
	}
	for d := 0; d <= p.depth && units > 0; d++ {
		for rest := p.frames[d].pending; rest != 0 && units > 0; {
			job := bits.Len32(rest) - 1
			rest &^= 1 << job
			if part := p.childInterval(d, job); part.begin < part.end {
				want += float64(part.end - part.begin)
				units--
			}
		}
	}
	return p.giveAway(p.parcelSize(want, p.remaining()))
}

// giveAway removes a number of permutations and returns them as a parcel. It first takes permutations of waiting
// intervals.
func (p *Pool) giveAway(want uint64) []byte {
	var parcel []byte
	for n := len(p.waiting); n > 0 && want > 0; n-- {
		w := &p.waiting[n-1]
		length := w.end - w.begin
		if length > want {
			return w.splitAt(w.end - want).encode(parcel)
		}
		parcel = w.encode(parcel)
		p.waiting = p.waiting[:n-1]
		want -= length
	}
	if want == 0 {
		return parcel
	}
	cut := p.current.splitAt(p.splitPoint(want))
	// The receiver starts at the root and decomposes the sub-problems on the path to its interval again. The receiver
	// counts the sub-problems that begin in its interval, so this pool no longer counts them.
	for d := 0; d <= p.depth; d++ {
		if p.frames[d].number >= cut.begin {
			p.nodes--
		}
	}
	return cut.encode(parcel)
}

// splitPoint returns a new end of the current interval. want is the number of remaining permutations after the new end.
func (p *Pool) splitPoint(want uint64) uint64 {
	at := p.current.end
	if p.search.lengths {
		return at - want
	}
	for d := 0; d <= p.depth; d++ {
		for rest := p.frames[d].pending; rest != 0; {
			job := bits.Len32(rest) - 1
			rest &^= 1 << job
			part := p.childInterval(d, job)
			take := min(want, part.end-part.begin)
			if take > 0 {
				at = part.end - take
			}
			if want -= take; want == 0 {
				return at
			}
		}
	}
	return at
}

// splitAt removes and returns the permutations whose number is at least at.
func (w *interval) splitAt(at uint64) interval {
	end := w.end
	w.end = at
	return interval{at, end}
}

func (w interval) encode(parcel []byte) []byte {
	parcel = binary.LittleEndian.AppendUint64(parcel, w.begin)
	return binary.LittleEndian.AppendUint64(parcel, w.end)
}

// nextPermutation returns the number of the next remaining permutation of the current interval. any is false if there
// is none.
func (p *Pool) nextPermutation() (number uint64, any bool) {
	for d := p.depth; d >= 0; d-- {
		for rest := p.frames[d].pending; rest != 0; rest &= rest - 1 {
			if part := p.childInterval(d, bits.TrailingZeros32(rest)); part.begin < part.end {
				return part.begin, true
			}
		}
	}
	return 0, false
}

// Merge implements overlay.Pool.
func (p *Pool) Merge(parcel []byte) {
	for ; len(parcel) >= 16; parcel = parcel[16:] {
		p.waiting = append(p.waiting, interval{binary.LittleEndian.Uint64(parcel), binary.LittleEndian.Uint64(parcel[8:])})
	}
}

// Result implements overlay.Accountable.
func (p *Pool) Result() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(p.nodes))
	p.nodes = 0
	return b
}

// Credit implements overlay.Accountable.
func (p *Pool) Credit(result []byte) { p.nodes += int64(binary.LittleEndian.Uint64(result)) }

// Solve does the whole search. It returns the pool with the result.
func (s *Search) Solve() *Pool {
	p := s.NewPool()
	p.Plant()
	for !p.Empty() {
		p.Work(1 << 16)
	}
	return p
}
