package criteria

import (
	"encoding/json"
	"fmt"
	"io"

	"lockstep/bench/report"
)

// printer prints results as JSON lines or as tables. It keeps the first error and prints nothing after it.
type printer struct {
	out  io.Writer
	json bool
	err  error
	head string // title of the table that is being printed
}

// resultLine is the line of one run with one criterion.
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

func lineOf(r result) resultLine {
	l := resultLine{
		Experiment: "criteria", Criterion: r.criterion, Parameter: report.Number(r.parameter),
		Cost: r.Cost, Relative: report.Number(r.relative), Balances: r.Balances,
	}
	if l.Balances == nil {
		l.Balances = []int{}
	}
	return l
}

func (p *printer) paper(k paperCase, results []result) {
	for _, r := range results {
		l := lineOf(r)
		l.Workload, l.Imbalance = k.workload(), k.growth.String()
		p.line(l.Workload+" workload, "+l.Imbalance+" imbalance", l)
	}
}

func (p *printer) named(name string, parts int, results []result) {
	for _, r := range results {
		l := lineOf(r)
		l.Name, l.Parts = name, parts
		title := name
		if parts > 0 {
			title = fmt.Sprintf("%s, %d processing elements, seconds", name, parts)
		}
		p.line(title, l)
	}
}

func (p *printer) line(title string, l resultLine) {
	if p.json {
		p.object(l)
		return
	}
	p.title(title, fmt.Sprintf("%-12s %10s %16s %9s %5s  %s", "criterion", "parameter", "cost", "relative", "count", "balancings before iterations"))
	p.printf("%-12s %10s %16.6g %9s %5d  %s\n", l.Criterion, l.Parameter.Text("%.4g"), l.Cost, l.Relative.Text("%.4f"), len(l.Balances), cutList(l.Balances))
}

// cutList writes a list, and leaves out elements that do not fit on a line.
func cutList(list []int) string {
	const fit = 14
	if len(list) <= fit {
		return fmt.Sprint(list)
	}
	s := fmt.Sprint(list[:fit])
	return s[:len(s)-1] + " ...]"
}

// averageLine is the line of a criterion's means over many random copies.
type averageLine struct {
	Experiment string        `json:"experiment"` // criteria-noise or criteria-shapes
	Name       string        `json:"name,omitempty"`
	Workload   string        `json:"workload,omitempty"`
	Imbalance  string        `json:"imbalance,omitempty"`
	Noise      float64       `json:"noise"`
	Seeds      int           `json:"seeds"`
	Criterion  string        `json:"criterion"`
	Parameter  report.Number `json:"parameter"`
	Cost       float64       `json:"cost"`     // mean
	Relative   report.Number `json:"relative"` // mean
	Worst      report.Number `json:"worst"`    // greatest relative cost
}

func (p *printer) average(l averageLine) {
	if p.json {
		p.object(l)
		return
	}
	title := fmt.Sprintf("%s, %d copies", l.Name, l.Seeds)
	if l.Noise > 0 {
		title = fmt.Sprintf("%s workload, %s imbalance, %g %% noise, %d copies", l.Workload, l.Imbalance, 100*l.Noise, l.Seeds)
	}
	p.title(title, fmt.Sprintf("%-12s %16s %9s %9s", "criterion", "mean cost", "relative", "worst"))
	p.printf("%-12s %16.6g %9s %9s\n", l.Criterion, l.Cost, l.Relative.Text("%.4f"), l.Worst.Text("%.4f"))
}

// guardLine is the line of a guard's ratios and its bounds.
type guardLine struct {
	Experiment string        `json:"experiment"` // criteria-guard
	Bound      float64       `json:"bound"`      // r
	Seeds      int           `json:"seeds"`
	WorstBad   report.Number `json:"worst_bad"` // greatest excess, relative to the optimum's, with the worst advice
	MeanBad    report.Number `json:"mean_bad"`
	BoundGood  float64       `json:"bound_good"` // r/(r-1)
	WorstGood  report.Number `json:"worst_good"` // greatest excess, relative to the optimum's, with the best advice
	MeanGood   report.Number `json:"mean_good"`
}

func (p *printer) guard(row guardRow, seeds int) {
	l := guardLine{"criteria-guard", row.r, seeds, report.Number(row.bad.worst()), report.Number(row.bad.mean()),
		row.r / (row.r - 1), report.Number(row.good.worst()), report.Number(row.good.mean())}
	if p.json {
		p.object(l)
		return
	}
	p.title(fmt.Sprintf("guard, excess over the optimum's, last iterations aside, %d applications", seeds),
		fmt.Sprintf("%-8s %14s %9s %11s %14s %9s", "bound r", "worst advice", "mean", "r/(r-1)", "best advice", "mean"))
	p.printf("%-8g %14s %9s %11.4f %14s %9s\n", l.Bound, l.WorstBad.Text("%.4f"), l.MeanBad.Text("%.4f"), l.BoundGood, l.WorstGood.Text("%.4f"), l.MeanGood.Text("%.4f"))
}

// advice prints sentences between tables.
func (p *printer) advice(text string) {
	if p.json {
		p.object(struct {
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

// title starts a table, unless the table with this title is being printed already.
func (p *printer) title(title, columns string) {
	if p.head == title {
		return
	}
	if p.head != "" {
		p.printf("\n")
	}
	p.head = title
	p.printf("%s\n%s\n", title, columns)
}

// failure returns an error if the results could not be printed.
func (p *printer) failure() error {
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

func (p *printer) object(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("criteria: a result has no JSON form: " + err.Error())
	}
	p.printf("%s\n", b)
}
