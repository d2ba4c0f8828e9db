package criteria

import (
	"encoding/json"
	"fmt"
	"io"

	"lockstep/bench/report"
)

// A printer prints results as JSON lines or as tables. It keeps the first error and prints nothing after it.
type printer struct {
	out  io.Writer
	json bool
	err  error
	head string // title of the table that is being printed, or ""
}

// A resultLine is the line of output about one run with one criterion.
type resultLine struct {
	Experiment string        `json:"experiment"`
	Name       string        `json:"name,omitempty"`
	Workload   string        `json:"workload,omitempty"`
	Imbalance  string        `json:"imbalance,omitempty"`
	Parts      int           `json:"parts,omitempty"`
	Criterion  string        `json:"criterion"`
	Parameter  report.Number `json:"parameter"`
	Cost       float64       `json:"cost"`
	Relative   report.Number `json:"relative"`
	Balances   []int         `json:"balances"`
}

func newResultLine(r result) resultLine {
	l := resultLine{
		Experiment: "criteria", Criterion: r.criterion, Parameter: report.Number(r.parameter),
		Cost: r.Cost, Relative: report.Number(r.relative), Balances: r.Balances,
	}
	if l.Balances == nil {
		l.Balances = []int{}
	}
	return l
}

func (p *printer) printCase(k paperCase, results []result) {
	for _, r := range results {
		l := newResultLine(r)
		l.Workload, l.Imbalance = k.workload(), k.growth.String()
		p.printLine(l.Workload+" workload, "+l.Imbalance+" imbalance", l)
	}
}

func (p *printer) printNamed(name string, parts int, results []result) {
	for _, r := range results {
		l := newResultLine(r)
		l.Name, l.Parts = name, parts
		title := name
		if parts > 0 {
			title = fmt.Sprintf("%s, %d processing elements, seconds", name, parts)
		}
		p.printLine(title, l)
	}
}

func (p *printer) printLine(title string, l resultLine) {
	if p.json {
		p.printJSON(l)
		return
	}
	p.startTable(title, fmt.Sprintf("%-12s %10s %16s %9s %5s  %s", "criterion", "parameter", "cost", "relative", "count", "balancings before iterations"))
	p.printf("%-12s %10s %16.6g %9s %5d  %s\n", l.Criterion, l.Parameter.Text("%.4g"), l.Cost, l.Relative.Text("%.4f"), len(l.Balances), shortListText(l.Balances))
}

// shortListText formats a list. It omits elements after the fourteenth.
func shortListText(list []int) string {
	const fit = 14
	if len(list) <= fit {
		return fmt.Sprint(list)
	}
	s := fmt.Sprint(list[:fit])
	return s[:len(s)-1] + " ...]"
}

// An averageLine is the line of output about a criterion's runs on many random copies of an application.
type averageLine struct {
	Experiment string        `json:"experiment"` // one of criteria-noise, -shapes, -family and -leaderboard
	Name       string        `json:"name,omitempty"`
	Workload   string        `json:"workload,omitempty"`
	Imbalance  string        `json:"imbalance,omitempty"`
	Noise      float64       `json:"noise"`
	Seeds      int           `json:"seeds"`
	Criterion  string        `json:"criterion"`
	Parameter  report.Number `json:"parameter"`
	Cost       float64       `json:"cost"`     // mean
	Relative   report.Number `json:"relative"` // mean
	Worst      report.Number `json:"worst"`    // largest relative cost
}

func (p *printer) printAverage(l averageLine) {
	if p.json {
		p.printJSON(l)
		return
	}
	title := fmt.Sprintf("%s, %d copies", l.Name, l.Seeds)
	if l.Noise > 0 {
		title = fmt.Sprintf("%s workload, %s imbalance, %g %% noise, %d copies", l.Workload, l.Imbalance, 100*l.Noise, l.Seeds)
	}
	p.startTable(title, fmt.Sprintf("%-12s %16s %9s %9s", "criterion", "mean cost", "relative", "worst"))
	p.printf("%-12s %16.6g %9s %9s\n", l.Criterion, l.Cost, l.Relative.Text("%.4f"), l.Worst.Text("%.4f"))
}

// A guardLine is the line of output about guards with one bound. A guard follows the advice of another criterion but
// keeps a bound of the cost, see criterion.Guard.
type guardLine struct {
	Experiment string        `json:"experiment"` // always criteria-guard
	Bound      float64       `json:"bound"`      // the bound r
	Seeds      int           `json:"seeds"`
	WorstBad   report.Number `json:"worst_bad"` // largest ratio with bad advice, see guardRow
	MeanBad    report.Number `json:"mean_bad"`
	BoundGood  float64       `json:"bound_good"` // r/(r-1), the bound of the ratio with the optimum as advice
	WorstGood  report.Number `json:"worst_good"` // largest ratio with the optimum as advice
	MeanGood   report.Number `json:"mean_good"`
}

func (p *printer) printGuard(row guardRow, seeds int) {
	l := guardLine{"criteria-guard", row.r, seeds, report.Number(row.bad.worst()), report.Number(row.bad.mean()),
		row.r / (row.r - 1), report.Number(row.good.worst()), report.Number(row.good.mean())}
	if p.json {
		p.printJSON(l)
		return
	}
	p.startTable(fmt.Sprintf("guard, excess over the optimum's, last iterations aside, %d applications", seeds),
		fmt.Sprintf("%-8s %14s %9s %11s %14s %9s", "bound r", "worst advice", "mean", "r/(r-1)", "best advice", "mean"))
	p.printf("%-8g %14s %9s %11.4f %14s %9s\n", l.Bound, l.WorstBad.Text("%.4f"), l.MeanBad.Text("%.4f"), l.BoundGood, l.WorstGood.Text("%.4f"), l.MeanGood.Text("%.4f"))
}

// printAdvice prints sentences between tables.
func (p *printer) printAdvice(text string) {
	if p.json {
		p.printJSON(struct {
			Experiment string `json:"experiment"`
			Text       string `json:"text"`
		}{"criteria-advice", text})
		return
	}
	if p.head != "" {
		p.printf("\n")
		p.head = ""
	}
	p.printf("%s\n\n", text)
}

// startTable prints the title and the heading of a table. It does nothing if the table with this title has been
// started.
func (p *printer) startTable(title, columns string) {
	if p.head == title {
		return
	}
	if p.head != "" {
		p.printf("\n")
	}
	p.head = title
	p.printf("%s\n%s\n", title, columns)
}

// printError returns an error if a result could not be printed.
func (p *printer) printError() error {
	if p.err != nil {
		return fmt.Errorf("print the results: %w", p.err)
	}
	return nil
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *printer) printJSON(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("criteria: a result has no JSON form: " + err.Error())
	}
	p.printf("%s\n", b)
}
