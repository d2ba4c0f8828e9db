// Package testparallel runs more tests of a package at once than there are processors. It is for tests that spend most
// of their time waiting for leases, links, servers and other processes.
package testparallel

import (
	"flag"
	"strconv"

	"lockstep/vp/isa/race"
)

// WaitingTests is the number of tests to run at once in some packages. The tests of these packages use a processor
// for about an eighth of their time, and otherwise wait.
const WaitingTests = 8

// Allow sets how many of the tests that call t.Parallel may run at once. It does nothing if the flag -parallel is
// given. TestMain calls Allow.
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

// raceShare divides the number of tests that run at once under the race detector. The race detector makes tests at
// least twice as slow.
const raceShare = 2

// parallelFlag is the name of the flag in test programs.
const parallelFlag = "test.parallel"
