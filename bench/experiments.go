package main

import (
	"lockstep/bench/calibrate"
	"lockstep/bench/circuit"
	"lockstep/bench/criteria"
	"lockstep/bench/film"
	"lockstep/bench/flowshop"
	"lockstep/bench/leaves"
	"lockstep/bench/lockstep"
	"lockstep/bench/nbody"
	"lockstep/bench/partition"
	"lockstep/bench/tables"
	"lockstep/bench/trace"
	"lockstep/bench/uts"
)

// experiments has a field for each experiment. The tag of a field makes its experiment a command of the command line.
type experiments struct {
	Calibrate calibrate.Experiment `cmd:"" help:"The costs of moving work with which the renderer decides on this machine."`
	Circuit   circuit.Experiment   `cmd:"" help:"Balancing between neighbours only: the balancing circuit."`
	Criteria  criteria.Experiment  `cmd:"" help:"When to balance: the criteria against the best possible times."`
	Film      film.Experiment      `cmd:"" help:"Who owns which block while nodes draw a recorded film together."`
	Flowshop  flowshop.Experiment  `cmd:"" help:"Sharing unpredictable work along an overlay: flow-shop branch-and-bound."`
	Leaves    leaves.Experiment    `cmd:"" help:"Times of frames with few to many triangles, with and without deferring hidden ones."`
	Lockstep  lockstep.Experiment  `cmd:"" help:"A picture drawn by virtual processors in lockstep, under each policy."`
	NBody     nbody.Experiment     `cmd:"" name:"nbody" help:"Partitioners and criteria for particles that move."`
	Partition partition.Experiment `cmd:"" help:"Partitioners for the blocks of a recorded film."`
	Tables    tables.Experiment    `cmd:"" help:"The cost-effective cycle on a simulated lockstep machine."`
	Trace     trace.Experiment     `cmd:"" help:"What work a traced picture moved, and why."`
	UTS       uts.Experiment       `cmd:"" name:"uts" help:"Sharing unpredictable work along an overlay: unbalanced tree search."`
}
