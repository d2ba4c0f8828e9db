package criteria

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"lockstep/bench/report"
)

// criteriaPrinter prints results as JSON lines or as tables. It keeps the first
// error.
type criteriaPrinter struct {
	out  io.Writer
	json bool
	err  error
	head string // of the table that is being printed
}

// criteriaLine is one run of one criterion.
type criteriaLine struct {
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

func lineOf(r criteriaResult) criteriaLine {
	l := criteriaLine{
		Experiment: "criteria", Criterion: r.criterion, Parameter: report.Number(r.parameter),
		Cost: r.Cost, Relative: report.Number(r.relative), Balances: r.Balances,
	}
	if l.Balances == nil {
		l.Balances = []int{}
	}
	return l
}

func (p *criteriaPrinter) paper(k paperCase, results []criteriaResult) {
	for _, r := range results {
		l := lineOf(r)
		l.Workload, l.Imbalance = k.workload(), k.growth.String()
		p.line(l.Workload+" workload, "+l.Imbalance+" imbalance", l)
	}
}

func (p *criteriaPrinter) named(name string, parts int, results []criteriaResult) {
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

func (p *criteriaPrinter) line(title string, l criteriaLine) {
	if p.json {
		p.object(l)
		return
	}
	p.title(title, fmt.Sprintf("%-12s %10s %16s %9s %5s  %s", "criterion", "parameter", "cost", "relative", "count", "balancings before iterations"))
	parameter := "-"
	if v := float64(l.Parameter); !math.IsNaN(v) {
		parameter = fmt.Sprintf("%.4g", v)
	}
	p.printf("%-12s %10s %16.6g %9.4f %5d  %s\n", l.Criterion, parameter, l.Cost, float64(l.Relative), len(l.Balances), cutList(l.Balances))
}

// cutList writes out a list, cut after as many elements as fit a line.
func cutList(list []int) string {
	const fit = 14
	if len(list) <= fit {
		return fmt.Sprint(list)
	}
	s := fmt.Sprint(list[:fit])
	return s[:len(s)-1] + " ...]"
}

// averageLine is a criterion's mean over many random copies.
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

func (p *criteriaPrinter) average(l averageLine) {
	if p.json {
		p.object(l)
		return
	}
	title := fmt.Sprintf("%s, %d copies", l.Name, l.Seeds)
	if l.Noise > 0 {
		title = fmt.Sprintf("%s workload, %s imbalance, %g %% noise, %d copies", l.Workload, l.Imbalance, 100*l.Noise, l.Seeds)
	}
	p.title(title, fmt.Sprintf("%-12s %16s %9s %9s", "criterion", "mean cost", "relative", "worst"))
	p.printf("%-12s %16.6g %9.4f %9.4f\n", l.Criterion, l.Cost, float64(l.Relative), float64(l.Worst))
}

// title starts a table unless it is being printed.
func (p *criteriaPrinter) title(title, columns string) {
	if p.head == title {
		return
	}
	if p.head != "" {
		p.printf("\n")
	}
	p.head = title
	p.printf("%s\n%s\n", title, columns)
}

func (p *criteriaPrinter) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *criteriaPrinter) object(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("bench: a criteriaResult has no JSON form: " + err.Error())
	}
	p.printf("%s\n", b)
}
