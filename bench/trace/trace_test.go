package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/vp"
	"lockstep/vp/trace"
)

// arrayTrace writes a trace of the specification's loop on the given workloads, with the paper's rule.
func arrayTrace(t *testing.T, workloads []int32, cost float64) (file string, stats vp.Stats) {
	t.Helper()
	var text bytes.Buffer
	planner := new(lb.Minimax)
	plan := make([]int32, len(workloads))
	balancer := func(_ int, workload []int32) vp.Plan {
		g := lb.Gather(workload)
		d := lb.CostEffective.Decide(g, planner.Plan(plan, workload, g), cost)
		if d.Redistribute {
			return vp.Plan{Helpers: plan, Savings: d.Savings, Cost: d.Cost}
		}
		return vp.Plan{Savings: d.Savings, Cost: d.Cost, Reason: trace.Kept}
	}
	stats, err := vp.NewArray(workloads).Run(func(int, int, int) {}, vp.LoopOptions{Balance: vp.BalanceFunc(balancer), Trace: func(s trace.Step) {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "array.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file, stats
}

// runTrace runs the experiment and returns its output.
func runTrace(trace Experiment) (string, error) {
	var out bytes.Buffer
	err := trace.Run(context.Background(), report.Output{Stdout: &out})
	return out.String(), err
}

// TestTraceOfArray reads a trace of vp.Array.Run, and compares the counts.
func TestTraceOfArray(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, cost := range []float64{0, 5, 1e6} {
		workloads := make([]int32, 64)
		for p := range workloads {
			workloads[p] = 1 + r.Int32N(20)
		}
		workloads[7], workloads[20] = 300, 150
		file, stats := arrayTrace(t, workloads, cost)
		text, err := runTrace(Experiment{File: report.Path(file), JSON: true})
		if err != nil {
			t.Fatal(err)
		}
		var loop loopLine
		first, rest, _ := strings.Cut(text, "\n")
		if err := json.Unmarshal([]byte(first), &loop); err != nil {
			t.Fatal(err)
		}
		if loop.Experiment != "trace" || loop.Processors != 64 || loop.Iterations != int64(stats.Iterations) ||
			loop.IterationsUnbalanced != int64(stats.IterationsNever) || loop.Redistributions != int64(stats.Redistributions) ||
			loop.LaneUse != stats.LaneUse() || loop.LaneUseUnbalanced != stats.LaneUseNever() || loop.Looks != int64(stats.Iterations) {
			t.Errorf("cost %g: %+v, want %+v", cost, loop, stats)
		}
		times := int64(0)
		for _, line := range strings.Split(strings.TrimSpace(rest), "\n") {
			var d decisionLine
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			times += d.Times
			if d.Redistributed != (float64(d.SavingsLeast) > cost) {
				t.Errorf("cost %g: decided wrongly? %+v", cost, d)
			}
		}
		if times != loop.Looks {
			t.Errorf("cost %g: %d decisions, %d looks", cost, times, loop.Looks)
		}
		table, err := runTrace(Experiment{File: report.Path(file)})
		if err != nil || !strings.Contains(table, fmt.Sprintf("as traced  %10d", stats.Iterations)) {
			t.Errorf("cost %g: %v, table\n%s", cost, err, table)
		}
	}
}

// TestTracePlots draws traces with decisions and without.
func TestTracePlots(t *testing.T) {
	dir := t.TempDir()
	file, _ := arrayTrace(t, []int32{40, 1, 2, 3, 1, 9}, 2)
	even, _ := arrayTrace(t, []int32{3, 3, 3}, math.Inf(1))
	one := filepath.Join(dir, "one.jsonl")
	if err := os.WriteFile(one, []byte(`{"iteration":0,"active":0,"max":0,"sum":0,"decision":"shared","loop":"a/b"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		want []string
	}{
		{file, []string{"trace-loop.svg", "trace-loop.png", "trace-loop-decisions.svg", "trace-loop-decisions.png"}},
		{even, []string{"trace-loop.svg", "trace-loop.png"}},
		{one, []string{"trace-a_b.svg", "trace-a_b.png"}},
	} {
		plots := filepath.Join(dir, "plots")
		if _, err := runTrace(Experiment{File: report.Path(c.file), Plot: report.Path(plots)}); err != nil {
			t.Fatal(err)
		}
		found, err := os.ReadDir(plots)
		if err != nil || len(found) != len(c.want) {
			t.Errorf("%v: %v, want %v", err, found, c.want)
		}
		for _, name := range c.want {
			if info, err := os.Stat(filepath.Join(plots, name)); err != nil || info.Size() < 1000 {
				t.Errorf("%s: %v", name, err)
			}
		}
		os.RemoveAll(plots)
	}
}

// TestTraceColumns checks that merging the columns of long traces loses no extreme, no decision and no task.
func TestTraceColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		long := rapid.SampledFrom([]int64{1, 3, 5000}).Draw(t, "long")
		columns := newColumns()
		var workload valueRange
		var iterations, tasks, looks int64
		for range rapid.IntRange(1, 9000).Draw(t, "records") {
			s := trace.Step{
				Iterations: r.Int64N(long + 1), Processors: 16, Active: r.IntN(17), Max: r.Int32N(1000),
				Decision: []string{trace.None, trace.Kept, trace.Redistributed}[r.IntN(3)], Savings: float64(r.IntN(50)),
			}
			s.Redistributed = s.Decision == trace.Redistributed
			s.Tasks = s.Iterations * int64(s.Active)
			if s.Decision != trace.None {
				looks++
			}
			columns.add(&s)
			workload.add(float64(s.Max))
			iterations += s.Iterations
			tasks += s.Tasks
		}
		var sum column
		for i := range columns.columns {
			sum.join(&columns.columns[i])
		}
		if n := int64(len(columns.columns)); n > maxColumns || n*columns.width < iterations || columns.iterations != iterations {
			t.Fatalf("%d columns of %d for %d iterations", n, columns.width, iterations)
		}
		if sum.workload.least != workload.least || sum.workload.most != workload.most || sum.accepted.savings.n+sum.rejected.savings.n != looks {
			t.Fatalf("workload %+v of %+v, %d looks", sum.workload, workload, looks)
		}
		if math.Abs(sum.tasks-float64(tasks)) > 1e-6*float64(tasks) || math.Abs(sum.slots-16*float64(iterations)) > 1e-6*float64(iterations) {
			t.Fatalf("%g tasks in %g slots, want %d in %d", sum.tasks, sum.slots, tasks, 16*iterations)
		}
	})
}

// TestTraceSteps checks that small numbers are not rounded, and large numbers by little.
func TestTraceSteps(t *testing.T) {
	for v := 0.0; v < 1e9; v = v*1.01 + 1 {
		got := stepValue(stepOf(v))
		if v >= 1 && v < exactBelow && got != math.Floor(v) || v >= exactBelow && math.Abs(got/v-1) > 1.0/32 {
			t.Errorf("%g became %g", v, got)
		}
	}
	if stepValue(stepOf(math.NaN())) != axisFloor || stepOf(1e300) != stepOf(math.MaxInt32) {
		t.Error("numbers out of range")
	}
}

// TestTraceCloseup checks that the close-up has the records around the best of many redistributions.
func TestTraceCloseup(t *testing.T) {
	var c closeup
	for i := range 1000 {
		s := trace.Step{Iteration: i, Iterations: 1, Decision: trace.None}
		if i%100 == 50 {
			s.Decision, s.Redistributed, s.Savings = trace.Redistributed, true, float64(500-max(i-450, 450-i))
		}
		if i == 460 {
			s.Decision, s.Redistributed, s.Savings = trace.Shared, true, 1e6
		}
		c.add(&s, int64(i))
	}
	if n := len(c.steps); n != closeupBefore+1+closeupAfter || c.steps[0].at != 450-closeupBefore || c.steps[n-1].at != 450+closeupAfter {
		t.Errorf("%d records from %d to %d", n, c.steps[0].at, c.steps[n-1].at)
	}
}

// TestTraceInput checks the errors for damaged files and wrong flags.
func TestTraceInput(t *testing.T) {
	dir := t.TempDir()
	file := func(text string) string {
		name := filepath.Join(dir, "trace.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const good = `{"frame":3,"loop":"scan","block":2,"iteration":0,"active":3,"max":7,"sum":9,"savings":3.5,"cost":3,"decision":"WORD","redistributed":false}` + "\n"
	many := ""
	for i := range 100 {
		many += strings.ReplaceAll(good, "scan", fmt.Sprint("loop", i))
	}
	for _, c := range []struct {
		text string
		line int
	}{{"", 0}, {"{\"trace\":1}\n", 0}, {good + good[:50], 2}, {good + "{}\n", 2}, {many, 0}} {
		_, err := runTrace(Experiment{File: report.Path(file(c.text))})
		var input *report.InputError
		if !errors.As(err, &input) || input.Line != c.line || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want line %d", c.text, err, c.line)
		}
	}
	for _, name := range []string{filepath.Join(dir, "missing"), dir} {
		var input *report.InputError
		if _, err := runTrace(Experiment{File: report.Path(name)}); !errors.As(err, &input) || strings.Count(err.Error(), name) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	number := func(n int) *int { return &n }
	for _, c := range []struct {
		frame, block *int
		ok           bool
	}{{nil, nil, true}, {number(3), nil, true}, {number(3), number(2), true}, {number(0), nil, false}, {nil, number(1), false}} {
		var usage *report.UsageError
		_, err := runTrace(Experiment{File: report.Path(file(good)), Frame: c.frame, Block: c.block})
		if c.ok != (err == nil) || err != nil && !errors.As(err, &usage) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (&Experiment{File: report.Path(file(good))}).Run(ctx, report.Output{Stdout: new(bytes.Buffer)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
