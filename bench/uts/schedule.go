package uts

import (
	"math/bits"
	"sync"
)

// A scheduleRecord holds twenty groups of four words of a message schedule of SHA-1. Each group has its words in
// reverse order, as the SHA instructions require.
type scheduleRecord [20][4]uint32

// numberCount is the number of child numbers that have a record. Only the root of a binomial tree and nodes of balanced
// trees have more children. A child with a larger number n uses the record of n%numberCount. The other part of n, n -
// n%numberCount, is hashed with the parent.
const numberCount = 128

// numberRecords returns a record for each child number n. The record holds, in order:
//
//   - group 0: words 4 to 7 of a message that is 0 except for n in word 5;
//   - groups 1 to 16: words 16 to 79 of the schedule of this message.
//
// The schedule is linear with respect to exclusive or. So the schedule of a child is the exclusive or of its number's
// record and its parent's record.
var numberRecords = sync.OnceValue(func() *[numberCount]scheduleRecord {
	all := new([numberCount]scheduleRecord)
	for n := range all {
		var w [80]uint32
		w[5] = uint32(n)
		for t := 16; t < len(w); t++ {
			w[t] = bits.RotateLeft32(w[t-3]^w[t-8]^w[t-14]^w[t-16], 1)
		}
		put := func(group, t int) { all[n][group] = [4]uint32{w[t+3], w[t+2], w[t+1], w[t]} }
		put(0, 4)
		for t := 16; t < len(w); t += 4 {
			put(t/4-3, t)
		}
	}
	return all
})
