package criteria

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"lockstep/bench/criteria/families"
	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
)

// TestStandingSums checks that the means of a criterion are computed from the means of the families. Sets with which
// our criterion was developed must not count.
func TestStandingSums(t *testing.T) {
	sets := []families.Set{{Name: "a", Tuned: true, Families: make([]families.Family, 2)}, {Name: "b", Families: make([]families.Family, 1)}}
	s := ranking{families: []familyCost{{"x", costTally{relative: 2.2, worst: 1.2, n: 2}}, {"y", costTally{relative: 6, worst: 4, n: 2}}, {"z", costTally{relative: 4, worst: 2.5, n: 2}}}}
	s.summarize(sets)
	if math.Abs(s.sets[0]-2.05) > 1e-12 || s.sets[1] != 2 || s.mean != 2 || s.family != "y" || s.worstMean != 3 || s.worst != 4 {
		t.Errorf("%+v", s)
	}
}

// TestLeaderboard checks that every criterion runs on every family and none beats the optimum. The table must have a
// line for each criterion, in ascending order of cost.
func TestLeaderboard(t *testing.T) {
	racetest.Alone(t)
	lines := runJSON(t, Experiment{Leaderboard: true, Seeds: 1})
	if want := 78 * len(leaderboardCriteria()); len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	for _, m := range lines {
		if !(m["relative"].(float64) >= 1-1e-9) || m["experiment"] != "criteria-leaderboard" {
			t.Errorf("%v", m)
		}
	}
	var out strings.Builder
	if err := (&Experiment{Leaderboard: true, Seeds: 1}).Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 2+len(leaderboardCriteria()) || !strings.HasPrefix(rows[2], "ours ") || !strings.HasPrefix(rows[len(rows)-1], "always ") {
		t.Errorf("%s", out.String())
	}
	var usage *report.UsageError
	if err := (&Experiment{Leaderboard: true, Guard: true, Seeds: 1}).Run(context.Background(), report.Output{}); !errors.As(err, &usage) {
		t.Errorf("%v", err)
	}
}
