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

// table prints rows: objects as they come, or columns at the end.
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
	fmt.Fprintf(t.tab, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.3f\t%s\t%d\t%d\t%s\t\n", r.name(), r.Protocol, r.Share, r.Peers, r.Degree, r.Seed,
		r.Nodes, r.Seconds, (100 * r.Efficiency).Text("%.1f %%"), r.Requests, r.Messages, makespan)
	t.rows = append(t.rows, r)
	return nil
}

// close prints the columns and, for repeated runs, the statistics of Table I.
func (t *table) close() error {
	if t.tab == nil {
		return nil
	}
	if err := t.tab.Flush(); err != nil {
		return err
	}
	t.trials()
	_, err := io.WriteString(t.out.Stdout, t.text.String())
	return err
}

// trials prints mean, deviation and extremes of the seconds of runs that differ
// in their seeds alone.
func (t *table) trials() {
	groups := group(t.rows, func(r Row) string {
		return fmt.Sprintf("%s %s/%s, %d peers, degree %d", r.name(), r.Protocol, r.Share, r.Peers, r.Degree)
	})
	if len(groups) == len(t.rows) {
		return
	}
	t.text.WriteString("\n")
	tab := report.NewTable(&t.text)
	fmt.Fprintln(tab, "seconds\tmean\tdeviation\tmost\tleast\t")
	for _, g := range groups {
		mean, deviation, most, least := statistics(g.rows)
		fmt.Fprintf(tab, "%s\t%.4g\t%.3g\t%.4g\t%.4g\t\n", g.name, mean, deviation, most, least)
	}
	tab.Flush()
}

// statistics are those of the rows' seconds.
func statistics(rows []Row) (mean, deviation, most, least float64) {
	least = math.Inf(1)
	for _, r := range rows {
		mean += r.Seconds / float64(len(rows))
		most, least = max(most, r.Seconds), min(least, r.Seconds)
	}
	for _, r := range rows {
		deviation += (r.Seconds - mean) * (r.Seconds - mean)
	}
	return mean, math.Sqrt(deviation / float64(max(1, len(rows)-1))), most, least
}

// named is rows that have something in common.
type named struct {
	name string
	rows []Row
}

// group parts rows by name, in order of first occurrence.
func group(rows []Row, name func(Row) string) []named {
	var groups []named
	at := map[string]int{}
	for _, r := range rows {
		i, known := at[name(r)]
		if !known {
			i = len(groups)
			at[name(r)] = i
			groups = append(groups, named{name: name(r)})
		}
		groups[i].rows = append(groups[i].rows, r)
	}
	return groups
}
