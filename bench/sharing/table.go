package sharing

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"lockstep/bench/report"
)

// A table prints rows. JSON objects are printed at once, and a table when it is closed.
type table struct {
	out  report.Output
	json bool
	text strings.Builder
	tab  *tabwriter.Writer
	rows []Row
}

func newTable(out report.Output, json bool) *table { return &table{out: out, json: json} }

func (t *table) add(r Row) error {
	if t.json {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(t.out.Stdout, "%s\n", line)
		return err
	}
	if t.tab == nil {
		t.tab = report.NewTable(&t.text)
		fmt.Fprintln(t.tab, "\tprotocol\tshare\tpeers\tdegree\tseed\tnodes\tseconds\tefficiency\trequests\tmessages\tmakespan\t")
	}
	makespan := ""
	if r.Makespan > 0 {
		makespan = fmt.Sprint(r.Makespan)
	}
	if r.Proved {
		makespan += " proved"
	}
	fmt.Fprintf(t.tab, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.3f\t%s\t%d\t%d\t%s\t\n", r.problemName(), r.Protocol, r.Share, r.Peers, r.Degree, r.Seed,
		r.Nodes, r.Seconds, (100 * r.Efficiency).Text("%.1f %%"), r.Requests, r.Messages, makespan)
	t.rows = append(t.rows, r)
	return nil
}

// close prints the table. If runs were repeated with other seeds, it also prints a table of their statistics.
func (t *table) close() error {
	if t.tab == nil {
		return nil
	}
	if err := t.tab.Flush(); err != nil {
		return err
	}
	t.printTrials()
	_, err := io.WriteString(t.out.Stdout, t.text.String())
	return err
}

// printTrials prints statistics of runs that differ only in their seeds: the mean, the standard deviation and the
// extremes of the seconds, and the mean of the efficiency with its 95 % confidence interval. Table I of Vu and others
// (CLUSTER 2012) has the statistics of the seconds.
func (t *table) printTrials() {
	groups := groupRows(t.rows, func(r Row) string {
		return fmt.Sprintf("%s %s/%s, %d peers, degree %d", r.problemName(), r.Protocol, r.Share, r.Peers, r.Degree)
	})
	if len(groups) == len(t.rows) {
		return
	}
	t.text.WriteString("\n")
	tab := report.NewTable(&t.text)
	fmt.Fprintln(tab, "\tmean seconds\tdeviation\tmost\tleast\tmean efficiency\t95 % within\t")
	for _, g := range groups {
		t := summarize(g.rows, func(r Row) float64 { return r.Seconds })
		e := summarize(g.rows, func(r Row) float64 { return 100 * float64(r.Efficiency) })
		fmt.Fprintf(tab, "%s\t%.4g\t%.3g\t%.4g\t%.4g\t%s\t%s\t\n", g.name, t.mean, t.deviation, t.most, t.least,
			report.Number(e.mean).Text("%.1f %%"), report.Number(e.halfWidth()).Text("±%.1f"))
	}
	tab.Flush()
}

// A summary holds statistics of several values. deviation is the standard deviation.
type summary struct {
	mean, deviation, most, least float64
	count                        int
}

// summarize returns the statistics of one value of each row.
func summarize(rows []Row, of func(Row) float64) summary {
	s := summary{most: math.Inf(-1), least: math.Inf(1), count: len(rows)}
	for _, r := range rows {
		s.mean += of(r) / float64(len(rows))
		s.most, s.least = max(s.most, of(r)), min(s.least, of(r))
	}
	for _, r := range rows {
		s.deviation += (of(r) - s.mean) * (of(r) - s.mean)
	}
	s.deviation = math.Sqrt(s.deviation / float64(max(1, len(rows)-1)))
	return s
}

// halfWidth returns half the width of the 95 % confidence interval of the mean. It is NaN for a single value.
func (s summary) halfWidth() float64 {
	if s.count < 2 {
		return math.NaN()
	}
	// For more degrees of freedom than the table has, use its last value, which is at most 7 % too large.
	quantile := report.Student[min(s.count, len(report.Student))-1]
	return quantile * s.deviation / math.Sqrt(float64(s.count))
}

// A rowGroup holds rows with the same name, see groupRows.
type rowGroup struct {
	name string
	rows []Row
}

// groupRows groups rows by the result of name, in order of first occurrence.
func groupRows(rows []Row, name func(Row) string) []rowGroup {
	var groups []rowGroup
	at := map[string]int{}
	for _, r := range rows {
		i, known := at[name(r)]
		if !known {
			i = len(groups)
			at[name(r)] = i
			groups = append(groups, rowGroup{name: name(r)})
		}
		groups[i].rows = append(groups[i].rows, r)
	}
	return groups
}
