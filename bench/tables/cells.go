package tables

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lockstep/bench/report"
	"lockstep/lb"
)

// A machineMaker returns the machines with a number of processors for both loops of a data set.
type machineMaker func(set dataset, processors int) [2]machine

// countCells returns every cell of Tables 2 and 3, and of the second experiment, for one sample of the data sets.
func (t *Experiment) countCells(ctx context.Context, out report.Output, on machineMaker, sets []dataset) ([]cell, error) {
	out.Begin("tables", int64(len(sets)*len(t.processorCounts())))
	defer out.End()
	var cells []cell
	for _, processors := range t.processorCounts() {
		models, err := t.newCostModels(on, processors, sets)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			cell, err := t.countCell(set, on(set, processors), models)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell)
			out.Step(1)
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(slices.Index(datasetOrder, a.Dataset)-slices.Index(datasetOrder, b.Dataset), a.view-b.view)
	})
	return cells, nil
}

// A costModels holds the cost models of both loops, with the experiment's rule and with the paper's.
type costModels struct{ ours, paper [2]*lb.CostModel }

// newCostModels returns the cost models. A model is calibrated with a run of its loop on every data set, and has the
// largest of the costs. A model whose threshold is given is not calibrated. The flag --threshold gives the threshold of
// the experiment's rule. On the paper's machine, the threshold of the paper's rule is given too.
func (t *Experiment) newCostModels(on machineMaker, processors int, sets []dataset) (m costModels, err error) {
	for i := range loopNames {
		for _, c := range []struct {
			model     **lb.CostModel
			rule      rule
			threshold float64
		}{{&m.ours[i], t.rule(), t.Threshold}, {&m.paper[i], paperRule, t.paperThreshold()}} {
			if c.threshold > 0 {
				if *c.model, err = fixedThreshold(c.threshold); err != nil {
					return m, fmt.Errorf("tables: %w", err)
				}
				continue
			}
			*c.model = lb.NewCostModel(lb.DefaultConstant)
			for _, set := range sets {
				if err := (*c.model).Calibrate([]lb.Timing{c.rule.timing(on(set, processors)[i], set.loops[i])}); err != nil {
					return m, fmt.Errorf("tables: %w", err)
				}
			}
		}
	}
	return m, nil
}

// paperThreshold returns the number of iterations that savings must exceed with the paper's rule. It is 0 if that
// number results from a calibration.
func (t *Experiment) paperThreshold() float64 {
	if t.isOnCM5() {
		return cm5Threshold
	}
	return 0
}

// countCell returns the cell of a data set on a machine.
func (t *Experiment) countCell(set dataset, on [2]machine, models costModels) (cell, error) {
	rows := set.loops[0]
	c := cell{
		Experiment: "tables", Machine: cmp.Or(t.Machine, "this"), Dataset: set.version, View: views[set.view].Name, view: set.view,
		Processors: on[0].processorCount(), MaxWorkload: int(rows.Max), AvgWorkload: rows.average(),
	}
	if t.usesPaperScenes() {
		c.PaperSpeedup = paperSpeedup(set.version, set.view, c.Processors)
	}
	var before, after, paper, wasted float64 // times in nanoseconds
	var busyBefore, busyAfter busyTime
	for i, l := range set.loops {
		p := on[i].phases(l, typicalCost)
		r, err := t.rule().countPhases(l, models.ours[i])
		if err != nil {
			return c, err
		}
		theirs, err := paperRule.countPhases(l, models.paper[i])
		if err != nil {
			return c, err
		}
		loop := loopCell{name: loopNames[i], result: r.counts, original: originalTime(p, int(l.Max)),
			balanced: balancedTime(p, r.counts), iteration: p.iteration}
		c.loops[i] = loop
		c.IterationsOriginal += int(l.Max)
		c.IterationsBalanced += r.iterations
		c.Redistributions += r.redistributions
		c.looks += r.looks
		before, after = before+loop.original, after+loop.balanced.total()
		paper += balancedTime(p, theirs.counts).total()
		wasted += wastedTime(p, r.counts)
		busyBefore.add(l.workload, c.Processors, p.iteration)
		busyAfter.add(r.solved, c.Processors, p.iteration)
	}
	c.SecondsOriginal, c.SecondsBalanced, c.SecondsPaperRule = before/1e9, after/1e9, paper/1e9
	c.wastedSeconds = wasted / 1e9
	c.Speedup, c.Gain = before/after, paper/after
	c.IdleOriginal, c.IdleBalanced = busyBefore.idleFractions(before), busyAfter.idleFractions(after)
	return c, nil
}

// loopNames are the names of the renderer's loops.
var loopNames = [2]string{"scan", "z-buffer"}
