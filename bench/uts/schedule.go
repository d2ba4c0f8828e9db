package uts

import (
	"math/bits"
	"sync"
)

// record is twenty groups of four words. Each group has its words in reverse order.
type record [20][4]uint32

// numberCount is the number of child numbers that have a record. Only the root of a binomial tree and nodes of balanced
// trees have more children. The high bits of larger numbers are treated as part of the parent.
const numberCount = 128

// numbers are the records of children's numbers. A record has the number at its place in the second group of the
// message, and words 16 to 79 of the schedule of a message that is 0 except for the number. The schedule is linear with
// respect to exclusive or, so a child's schedule is the exclusive or of this schedule and its parent's.
var numbers = sync.OnceValue(func() *[numberCount]record {
	all := new([numberCount]record)
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
