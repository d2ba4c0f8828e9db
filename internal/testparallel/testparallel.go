// Package testparallel runs more tests of a package at once than there are processors. It is for tests that spend most
// of their time waiting for leases, links, servers and other processes.
package testparallel

import (
	"flag"
	"strconv"

	"lockstep/vp/isa/race"
)

// WaitingTests is the number of tests to run at once in packages whose tests keep a processor busy for about an eighth
// of the time.
const WaitingTests = 8

// Allow lets n tests that call Parallel run at once, unless the flag -parallel is given. TestMain calls it.
func Allow(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == parallelFlag })
	if !given {
		if race.Enabled {
			n = max(1, n/raceShare)
		}
		_ = flag.Set(parallelFlag, strconv.Itoa(n)) // Set fails only for a text that is not a number
	}
}

// raceShare is the least factor by which the race detector multiplies the processor time of tests.
const raceShare = 2

// parallelFlag is the name of the flag in test programs.
const parallelFlag = "test.parallel"
