// Package testparallel runs more tests of a package at once than there are processors, where tests spend most of their
// time waiting: for leases, links, servers and other processes.
package testparallel

import (
	"flag"
	"strconv"

	"lockstep/vp/isa/race"
)

// Waiting is for packages whose tests use about an eighth of a processor each.
const Waiting = 8

// Allow lets n tests that call Parallel run at once, unless the flag -parallel says how many. TestMain calls it.
func Allow(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		if race.Enabled {
			n = max(1, n/raceShare)
		}
		_ = flag.Set(name, strconv.Itoa(n)) // it fails only for what is no number
	}
}

// raceShare is how many times as many processors tests want at least with the race detector.
const raceShare = 2

// name is that of the flag, as test programs know it.
const name = "test.parallel"
