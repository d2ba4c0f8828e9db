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

// experiments has a field for each experiment. The tags of the fields make the experiments commands of the command
// line.
type experiments struct {
	Calibrate calibrate.Experiment `cmd:"" help:"What the renderer takes moving work to cost on this machine."`
	Circuit   circuit.Experiment   `cmd:"" help:"How, with neighbours only: the balancing circuit."`
	Criteria  criteria.Experiment  `cmd:"" help:"When to balance: the criteria against the best possible times."`
	Film      film.Experiment      `cmd:"" help:"Who owns which block while nodes draw a recorded film together."`
	Flowshop  flowshop.Experiment  `cmd:"" help:"How, for unpredictable work: flow-shop branch-and-bound along an overlay."`
	Leaves    leaves.Experiment    `cmd:"" help:"What a frame costs, from few triangles to many, with hidden ones deferred and without."`
	Lockstep  lockstep.Experiment  `cmd:"" help:"A picture by virtual processors that step together, under each policy."`
	NBody     nbody.Experiment     `cmd:"" name:"nbody" help:"Partitioners and criteria for particles that move."`
	Partition partition.Experiment `cmd:"" help:"Partitioners for the blocks of a recorded film."`
	Tables    tables.Experiment    `cmd:"" help:"The cost-effective cycle on a counted lockstep machine."`
	Trace     trace.Experiment     `cmd:"" help:"What work a traced picture moved, and why."`
	UTS       uts.Experiment       `cmd:"" name:"uts" help:"How, for unpredictable work: unbalanced tree search along an overlay."`
}
