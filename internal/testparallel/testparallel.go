// Package testparallel runs more tests of a package at once than there are processors, because these tests spend most
// of their time waiting for leases, links, servers and other processes.
package testparallel

import (
	"flag"
	"strconv"

	"lockstep/vp/isa/race"
)

// WaitingTests is the number of tests at once for packages whose tests keep a processor busy for about an eighth of the time.
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
		_ = flag.Set(parallelFlag, strconv.Itoa(n)) // fails only if the text is not a number
	}
}

// raceShare is the factor by which tests take at least more processor time with the race detector.
const raceShare = 2

// parallelFlag is the name of the flag in test programs.
const parallelFlag = "test.parallel"
