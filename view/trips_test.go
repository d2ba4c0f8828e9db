package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A comparison contains the results of the viewer's controller and of others for one drag.
type comparison struct {
	fixed                              []verdict
	threshold, patient, oracle, viewer verdict
	begin                              []float64 // field begin of the mesh, see dragged
}

func (d *dragged) compare(t *testing.T) (c comparison) {
	t.Helper()
	for level := range d.drawn {
		c.fixed = append(c.fixed, d.replay(fmt.Sprintf("always %d", level), &planned{levels: []int{level}}))
	}
	v := d.viewers(t)
	first, most := v.Level(), len(d.drawn)-1
	c.threshold = d.replay("threshold", &threshold{level: first, most: most})
	c.patient = d.replay("patient", &threshold{level: first, most: most, patience: 3})
	c.oracle = d.replay("knows all", &planned{levels: d.best()})
	c.viewer = d.replay("viewer", v)
	c.begin = d.begin
	return c
}

// The method all returns all verdicts, with the viewer's verdict last.
func (c *comparison) all() []verdict {
	return append(slices.Clip(c.fixed), c.threshold, c.patient, c.oracle, c.viewer)
}

// bars holds the results of the viewer's controller in a drag, and the largest results that are allowed. The constant
// punctual explains the two readings. Lateness is in the literal reading, and changes are in both.
type bars struct {
	late, mayLate                    float64
	changes, mayChange, mayWithCause int
	cost, mayCost, knowingAll        float64
	best                             int // number of the fixed level with the least cost
}

func (c *comparison) bars() bars {
	v := &c.viewer
	b := bars{late: v.late, changes: v.changes, mayChange: c.threshold.changes / 3, cost: v.cost, knowingAll: c.oracle.cost}
	late := c.fixed[0].late
	for level := range c.fixed {
		late = min(late, c.fixed[level].late)
		if c.fixed[level].cost < c.fixed[b.best].cost {
			b.best = level
		}
	}
	steps := max(v.levels[0]-b.best, b.best-v.levels[0])
	b.mayLate, b.mayCost = share*late, share*c.fixed[b.best].cost+float64(steps)*(learning+c.begin[b.best])
	b.mayWithCause = max(b.mayChange, c.oracle.changes, steps)
	return b
}

// add adds the results of another drag.
func (b *bars) add(o bars) {
	b.late, b.mayLate, b.cost, b.mayCost, b.knowingAll = b.late+o.late, b.mayLate+o.mayLate, b.cost+o.cost, b.mayCost+o.mayCost, b.knowingAll+o.knowingAll
	b.changes, b.mayChange, b.mayWithCause = b.changes+o.changes, b.mayChange+o.mayChange, b.mayWithCause+o.mayWithCause
}

// line returns bars as a line for the columns of barsHead, with an exclamation mark after results that are not
// allowed.
func (b *bars) line(name string) string {
	mark := func(broken bool) string { return map[bool]string{true: "!", false: " "}[broken] }
	return fmt.Sprintf("%-30s %7.0f/%-7.0f%s %3d/%-3d%s  %3d/%-3d%s %7.0f/%-7.0f%s %6d %9.0f\n", name,
		b.late, b.mayLate, mark(b.late > b.mayLate), b.changes, b.mayChange, mark(b.changes > b.mayChange),
		b.changes, b.mayWithCause, mark(b.changes > b.mayWithCause), b.cost, b.mayCost, mark(b.cost > b.mayCost), b.best, b.knowingAll)
}

const barsHead = "                               literally: late, changes;   fairly: changes, cost; best fixed, knowing all\n"

// table returns a table with a line for each verdict.
func (c *comparison) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %9s %8s %9s %7s %6s %9s\n", "", "late ms", "pictures", "avoidable", "changes", "level", "cost")
	for _, v := range c.all() {
		fmt.Fprintf(&b, "%-10s %9.0f %8d %9.0f %7d %6.2f %9.0f\n", v.name, v.late, v.pictures, v.avoidable, v.changes, v.coarse(), v.cost)
	}
	return b.String()
}

// recorded reads the recording. It returns a drag for each mesh and each network. For two networks it also returns
// drags while another program runs on the server's machine.
func recorded(t *testing.T) (all []*dragged) {
	t.Helper()
	text, err := os.ReadFile("testdata/trips.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Meshes {
		for k, n := range networks {
			// There is one seed per network, so all meshes have the same hops.
			hops := n.make(rand.New(rand.NewPCG(35, uint64(k))))
			all = append(all, m.dragged(n.name, m.Calm, hops))
			if n.name == "loopback" || n.name == "far" {
				all = append(all, m.dragged(n.name+", another program", m.Bursts, hops))
			}
		}
	}
	return all
}

// dragged returns a recorded mesh over a network.
func (m *recordedMesh) dragged(name string, tenths [][]int, hops hops) *dragged {
	d := &dragged{name: m.Scene + ", " + name, triangles: m.Triangles, hops: hops}
	for level := range tenths {
		d.drawn = append(d.drawn, m.between(tenths[level], 0.1))
		d.bytes = append(d.bytes, m.between(m.Bytes[level], 100))
		d.begin = append(d.begin, 0.1*float64(m.Begin[level]))
	}
	return d
}

// between returns a number for every movement, in another unit. The numbers of movements that were not drawn are
// interpolated.
func (m *recordedMesh) between(drawn []int, unit float64) []float64 {
	all := make([]float64, movements)
	for i := range all {
		k, part := i/m.Every, float64(i%m.Every)/float64(m.Every)
		next := min(k+1, len(drawn)-1)
		all[i] = unit * ((1-part)*float64(drawn[k]) + part*float64(drawn[next]))
	}
	return all
}

// TestRecordedTrips replays the viewer's controller over all recordings and networks. With -v it prints the results
// of the viewer and of others, and at the end the bars.
func TestRecordedTrips(t *testing.T) {
	drags := recorded(t)
	if len(drags) != 3*(len(networks)+2) {
		t.Fatalf("%d drags", len(drags))
	}
	summary, sum := barsHead, bars{best: -1}
	for _, d := range drags {
		c := d.compare(t)
		b := c.bars()
		summary += b.line(d.name)
		sum.add(b)
		t.Logf("%s\n%s", d.name, c.table())
		for _, v := range c.all() {
			if len(v.levels) != movements || slices.Min(v.levels) < 0 || slices.Max(v.levels) >= len(levels) {
				t.Errorf("%s, %s: %d levels from %d to %d", d.name, v.name, len(v.levels), slices.Min(v.levels), slices.Max(v.levels))
			}
			if v.cost < c.oracle.cost-1e-6 {
				t.Errorf("%s: %s costs %g, less than what knows all: %g", d.name, v.name, v.cost, c.oracle.cost)
			}
			if v.avoidable > v.late || v.avoidable < 0 {
				t.Errorf("%s, %s: %g ms of %g were avoidable", d.name, v.name, v.avoidable, v.late)
			}
		}
		for _, v := range c.fixed {
			if v.changes != 0 {
				t.Errorf("%s: %s changes %d times", d.name, v.name, v.changes)
			}
		}
		if again := d.replay("viewer", d.viewers(t)); !slices.Equal(again.levels, c.viewer.levels) {
			t.Errorf("%s: the viewer chooses other levels when it is replayed", d.name)
		}
	}
	t.Log("\n" + summary + sum.line("all"))
	if sum.cost > sum.mayCost || sum.changes > sum.mayChange {
		t.Errorf("a cost of %.0f where %.0f is allowed, %d changes where %d are", sum.cost, sum.mayCost, sum.changes, sum.mayChange)
	}
}

// TestRecording checks that the times and sizes in the recording are plausible, and that other programs had an
// effect.
func TestRecording(t *testing.T) {
	text, err := os.ReadFile("testdata/trips.json")
	if err != nil || len(text) > 120<<10 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Meshes {
		for _, series := range [][][]int{m.Calm, m.Bursts, m.Bytes} {
			if len(series) != len(levels) || len(m.Begin) != len(levels) {
				t.Fatalf("%s: %d levels, %d beginnings", m.Scene, len(series), len(m.Begin))
			}
			for level, values := range series {
				if len(values) != (movements+m.Every-1)/m.Every || slices.Min(values) < 1 {
					t.Errorf("%s, level %d: %d numbers from %d", m.Scene, level, len(values), slices.Min(values))
				}
			}
		}
		for level := range levels {
			alone, beside := 0, 0
			for k := range m.Calm[level] {
				if slices.ContainsFunc(m.Busy, func(b [2]int) bool { return b[0] <= k*m.Every && k*m.Every < b[1] }) {
					alone, beside = alone+m.Calm[level][k], beside+m.Bursts[level][k]
				}
			}
			if 10*beside < 12*alone {
				t.Errorf("%s, level %d: %d tenths of a millisecond beside another program, %d alone", m.Scene, level, beside, alone)
			}
		}
	}
}

// made returns a drag over a network without delays, with times for each level.
func made(times ...[]float64) *dragged {
	d := &dragged{drawn: times, begin: make([]float64, len(times)), hops: make(hops, len(times[0]))}
	for range times {
		d.bytes = append(d.bytes, make([]float64, len(d.hops)))
	}
	for i := range d.hops {
		d.hops[i].mbit = 1
	}
	return d
}

// TestJudge checks values that are easy to calculate by hand.
func TestJudge(t *testing.T) {
	d := made([]float64{43, 43, 43, 200}, []float64{10, 10, 10, 100})
	d.bytes[1][0], d.begin[1] = 1000, 30 // 8 ms at one megabit per second
	v := d.replay("", &planned{levels: []int{0, 1, 1, 0}})
	// Round trips of 43, 40, 10 and 200 ms are due after 33, 33, 33 and 120 ms.
	if v.late != 10+7+167 || v.avoidable != 10+7+80 || v.pictures != 3 || v.changes != 2 || v.coarse() != 0.5 || v.cost != 97+2*visible+2*coarseness {
		t.Errorf("%+v", v)
	}
	if got := d.trip(1, 0, false); got != 18 {
		t.Errorf("a trip of %g ms", got)
	}
	rule := d.replay("", &threshold{most: 1})
	if !slices.Equal(rule.levels, []int{0, 0, 1, 1}) { // the third request is the first with a known round-trip time
		t.Errorf("a threshold's levels are %d", rule.levels)
	}
	for trips, want := range map[string]int{"40 40 40": 0, "40 40 40 40": 1, "40 40 40 20 40": 0, "40 40 40 40 10 10 10": 1, "40 40 40 40 10 10 10 10": 0} {
		patient := &threshold{most: 2, patience: 3}
		for trip := range strings.FieldsSeq(trips) {
			patient.Observe(sight{trip: map[string]float64{"10": 10, "20": 20, "40": 40}[trip]})
		}
		if patient.Level() != want {
			t.Errorf("level %d after %s", patient.Level(), trips)
		}
	}
}

// TestKnowsAll compares the cost of the best levels with the least cost of all possible levels.
func TestKnowsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		times := make([][]float64, 3)
		for level := range times {
			for range 6 {
				times[level] = append(times[level], 400*r.Float64()/float64(level+1))
			}
		}
		d := made(times...)
		d.begin = []float64{20 * r.Float64(), 50 * r.Float64(), 0}
		least := d.replay("", &planned{levels: []int{0}}).cost
		for code := range 729 { // 3 levels, 6 movements
			levels := make([]int, 6)
			for i, rest := 0, code; i < 6; i, rest = i+1, rest/3 {
				levels[i] = rest % 3
			}
			least = min(least, d.replay("", &planned{levels: levels}).cost)
		}
		if got := d.replay("", &planned{levels: d.best()}).cost; got > least+1e-9 {
			t.Errorf("%g, and %g can be had", got, least)
		}
	}
}
