package sharing

import (
	"reflect"
	"testing"

	"gonum.org/v1/plot/plotter"

	"lockstep/bench/report"
)

// TestComparison checks that bars are means over seeds only. Rows with other numbers of peers or other degrees must not
// count, and each share must have its own bars.
func TestComparison(t *testing.T) {
	row := func(share string, peers, degree int, seed uint64, seconds float64) Row {
		return Row{Protocol: "td", Share: share, Peers: peers, Degree: degree, Seed: seed, Seconds: seconds, Efficiency: report.Number(1 / seconds)}
	}
	rows := []Row{
		row("half", 16, 2, 1, 100), row("half", 16, 10, 1, 100), row("half", 200, 2, 1, 100), row("one", 16, 10, 1, 100),
		row("half", 200, 10, 1, 2), row("half", 200, 10, 2, 4), row("one", 200, 10, 1, 8), row("one", 200, 10, 2, 16),
	}
	times, work := compareProtocols([]rowGroup{{"a", rows}, {"b", rows[:len(rows)-1]}})
	if want := []string{"td half", "td one"}; !reflect.DeepEqual(times.lines, want) || !reflect.DeepEqual(work.lines, want) {
		t.Errorf("lines %q and %q", times.lines, work.lines)
	}
	if want := []plotter.Values{{1, 1}, {4, 8. / 3}}; !reflect.DeepEqual(times.values, want) {
		t.Errorf("seconds %v, want %v", times.values, want)
	}
	if want := []plotter.Values{{0.375, 0.375}, {0.09375, 0.125}}; !reflect.DeepEqual(work.values, want) {
		t.Errorf("efficiencies %v, want %v", work.values, want)
	}
	if times.title != "200 peers, 10 children at most" || times.y != "seconds, td half = 1" || work.title != times.title {
		t.Errorf("titles %q and %q, axis %q", times.title, work.title, times.y)
	}
}
