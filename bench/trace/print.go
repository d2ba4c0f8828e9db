package trace

import (
	"fmt"
	"io"
	"math"
	"strings"

	"lockstep/bench/report"
)

// loopLine is the JSON object of a loop.
type loopLine struct {
	Experiment           string           `json:"experiment"`
	Title                string           `json:"title"`
	Loop                 string           `json:"loop"`
	Frames               int              `json:"frames"`
	Blocks               int              `json:"blocks"`
	Records              int64            `json:"records"`
	Processors           int              `json:"processors"`
	Iterations           int64            `json:"iterations"`
	IterationsUnbalanced int64            `json:"iterations_unbalanced"`
	LaneUse              float64          `json:"lane_use"`
	LaneUseUnbalanced    float64          `json:"lane_use_unbalanced"`
	Looks                int64            `json:"looks"`
	Redistributions      int64            `json:"redistributions"`
	Savings              report.Number    `json:"savings"`
	Cost                 report.Number    `json:"cost"`
	Stages               map[string]int64 `json:"stages"`
}

// decisionLine is the JSON object of one kind of decision.
type decisionLine struct {
	Experiment    string        `json:"experiment"`
	Loop          string        `json:"loop"`
	Decision      string        `json:"decision"`
	Redistributed bool          `json:"redistributed"`
	ActiveLeast   int           `json:"active_least"`
	ActiveMost    int           `json:"active_most"`
	Times         int64         `json:"times"`
	Max           float64       `json:"max"`
	Savings       report.Number `json:"savings"`
	SavingsLeast  report.Number `json:"savings_least"`
	SavingsMost   report.Number `json:"savings_most"`
	Cost          report.Number `json:"cost"`
	CostLeast     report.Number `json:"cost_least"`
	CostMost      report.Number `json:"cost_most"`
	Parts         int64         `json:"parts"`
}

// writeJSON prints an object for every loop. After each loop it prints one for every kind of decision of the loop.
func writeJSON(w io.Writer, t *summary) error {
	var lines []any
	for _, l := range t.loops {
		stages := map[string]int64{}
		for _, g := range l.stages {
			if g.name != "" {
				stages[g.name] = g.iterations
			}
		}
		lines = append(lines, loopLine{
			"trace", t.title, l.title(), l.frames, l.blocks, l.records, l.processors,
			l.iterations, l.unbalanced, l.laneUse(l.slots), l.laneUse(l.slotsUnbalanced),
			l.looks, l.redistributions, report.Number(l.savings), report.Number(l.cost), stages,
		})
		for _, d := range l.sortedDecisions() {
			lines = append(lines, decisionLine{
				"trace", l.title(), d.decision, d.redistributed, d.least, d.most, d.times, d.workload.most,
				report.Number(d.savings.mean()), report.Number(d.savings.least), report.Number(d.savings.most),
				report.Number(d.cost.mean()), report.Number(d.cost.least), report.Number(d.cost.most), d.parts,
			})
		}
	}
	return report.WriteJSON(w, lines...)
}

// writeText prints the loops as tables.
func writeText(w io.Writer, t *summary) error {
	var text strings.Builder
	if t.title != "" {
		fmt.Fprintln(&text, t.title)
	}
	for _, l := range t.loops {
		l.printLoop(&text)
		l.printDecisions(&text)
		l.printBest(&text)
	}
	return report.WriteText(w, &text)
}

// printLoop prints how many iterations the loop took, and how many it would take without redistributions.
func (l *loop) printLoop(text *strings.Builder) {
	fmt.Fprintf(text, "\n%s: %s", l.title(), report.Plural(l.processors, "processor"))
	if l.name != "" {
		fmt.Fprintf(text, ", %s, %s", report.Plural(l.frames, "frame"), report.Plural(l.blocks, "block"))
	}
	fmt.Fprintln(text)
	t := report.NewTable(text)
	fmt.Fprintln(t, "\titerations\tprocessors in use\t")
	fmt.Fprintf(t, "left alone\t%d\t%.1f %%\t\n", l.unbalanced, 100*l.laneUse(l.slotsUnbalanced))
	fmt.Fprintf(t, "as traced\t%d\t%.1f %%\t\n", l.iterations, 100*l.laneUse(l.slots))
	t.Flush()
	if len(l.stages) > 1 {
		var parts []string
		for _, g := range l.stages {
			parts = append(parts, fmt.Sprintf("%d on %s", g.iterations, g.name))
		}
		fmt.Fprintf(text, "iterations: %s\n", strings.Join(parts, ", "))
	}
	if l.looks == 0 && l.redistributions == 0 {
		fmt.Fprintln(text, "the workload was never checked")
		return
	}
	shared := ""
	if l.shared > 0 {
		shared = fmt.Sprintf(" (%d of problems shared by all workers)", l.shared)
	}
	fmt.Fprintf(text, "%s, %s%s: expected to save %s and to cost at most %s iterations, saved %d\n",
		report.Plural(l.looks, "check"), report.Plural(l.redistributions, "move")+" of work", shared,
		iterationsText(l.savings), iterationsText(l.cost), l.unbalanced-l.iterations)
}

// printDecisions prints a table of the kinds of decisions of whether to redistribute, with their savings and costs.
func (l *loop) printDecisions(text *strings.Builder) {
	if len(l.decisions) == 0 {
		return
	}
	t := report.NewTable(text)
	fmt.Fprintln(t, "decision\tactive\ttimes\tlargest workload\tsavings: least\tmean\tmost\tcost: least\tmean\tmost\tparts\t")
	for _, d := range l.sortedDecisions() {
		active := fmt.Sprint(d.least)
		if d.most > d.least {
			active = fmt.Sprintf("%d to %d", d.least, d.most)
		}
		parts := ""
		if d.parts > 0 {
			parts = fmt.Sprint(d.parts)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t", d.decision, active, d.times, iterationsText(d.workload.most))
		for _, r := range []*valueRange{&d.savings, &d.cost} {
			fmt.Fprintf(t, "%s\t%s\t%s\t", iterationsText(r.least), iterationsText(r.mean()), iterationsText(r.most))
		}
		fmt.Fprintf(t, "%s\t\n", parts)
	}
	t.Flush()
}

// printBest prints the redistributions with the largest savings.
func (l *loop) printBest(text *strings.Builder) {
	if len(l.best) == 0 {
		return
	}
	fmt.Fprintln(text, "moves of work with the largest savings:")
	for _, s := range l.best {
		place := fmt.Sprintf("iteration %d", s.Iteration)
		if l.name != "" {
			stage := ""
			if s.Stage != "" {
				stage = fmt.Sprintf("%s %d, ", s.Stage, s.Group)
			}
			place = fmt.Sprintf("frame %d, block %d, %siteration %d", s.Frame, s.Block, stage, s.Iteration)
		}
		why := fmt.Sprintf("saves %s, costs %s", iterationsText(s.Savings), iterationsText(s.Cost))
		fmt.Fprintf(text, "  %s: %d of %d active, largest workload %d; %s: %s\n", place, s.Active, s.Processors, s.Max, why, s.Decision)
	}
}

// iterationsText formats a number of iterations. It returns a dash if the number is infinite.
func iterationsText(v float64) string {
	switch {
	case math.IsInf(v, 0) || v > math.MaxFloat32:
		return "-"
	case v == math.Trunc(v) || math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
