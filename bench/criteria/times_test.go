package criteria

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// TestReadTimesForms reads the same times in all forms that files may have.
func TestReadTimesForms(t *testing.T) {
	want := [][]float64{{1, 2}, {3, 4}, {5, 6.5}}
	for name, text := range map[string]string{
		"long":                 "iteration,rank,seconds\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n2,0,5\n2,1,6.5\n",
		"any order, any names": "time (ms); MPI_Rank; Step\n4000;1;11\n1000;0;10\n2000;1;10\n3000;0;11\n6500;1;12\n5000;0;12\n",
		"further columns":      "phase\tpe\titer\telapsed\na\t0\t0\t1\na\t1\t0\t2\na\t0\t1\t3\na\t1\t1\t4\na\t0\t2\t5\na\t1\t2\t6\nb\t1\t2\t0.5\n",
		"no names":             "0,0,1\n0,1,2\n1,0,3\n1,1,4\n2,0,5\n2,1,6.5\n",
		"matrix":               "1 2\n3 4\n5 6.5\n",
		"matrix with names":    "p0,p1\n1,2\n3,4\n5,6.5\n",
		"matrix that counts":   "# by hand\n\niteration,a,b\n7,1,2\n8,3,4\n9,5,6.5\n",
		"counts, no names":     "0,1,2\n1,3,4\n2,5,6.5\n",
		"microseconds":         "it,proc,time_us\n0,0,1e6\n0,1,2e6\n1,0,3e6\n1,1,4e6\n2,0,5e6\n2,1,6.5e6\n",
	} {
		got, err := readTimes(writeTemp(t, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range want {
			for r := range want[i] {
				if len(got.seconds) != 3 || math.Abs(got.seconds[i][r]-want[i][r]) > 1e-12 {
					t.Errorf("%s: %v, want %v (%s)", name, got.seconds, want, got.reading)
				}
			}
		}
	}
}

// TestReadTimesRefuses checks that errors of reading name the line of the file.
func TestReadTimesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no rows of times",
		"a,b,c\n1,2,3\n":                        `1: the columns ["a" "b" "c"]`,
		"iter,rank,s\n0,0,-1\n":                 `2: "-1": expected a time`,
		"iter,rank,s\n0,0,1\n\n0,x,1\n":         `4: "x": expected the number`,
		"iter,rank,s\n0,0,1\n0,1\n":             `3: 2 fields; expected 3`,
		"iter,rank,s\n0,0,1\n0,1,1\n1,0,1\n":    "iteration 1 has no time of rank 1",
		"1,2\n3\n":                              "2: 1 times; expected as many as in the row before, 2",
		"1,2\n3,NaN\n":                          `2: "NaN": expected a time`,
		"iter,rank,s\n0,0,1\n99999999999,0,1\n": `3: "99999999999": expected the number`,
		"iter,rank,s\n":                         "no rows of times",
	} {
		file := writeTemp(t, text)
		var input *report.InputError
		if _, err := readTimes(file); !errors.As(err, &input) || !strings.Contains(strings.TrimPrefix(err.Error(), file+":"), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	_, err := readTimes(writeTemp(t, "") + "-none")
	if err == nil {
		t.Error("a file that there is not")
	}
}

// FuzzTimes checks that any file is either a valid table of times or an error.
func FuzzTimes(f *testing.F) {
	for _, text := range []string{"iteration,rank,seconds\n0,0,1\n0,1,2\n", "1 2\n3 4\n", "0;0;1\n0;1;2\n1;0;3\n1;1;4\n", "# a\n\nit\tpe\ttime_ns\n0\t0\t1e9\n", "\"a\"\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, lines, err := readFields(bufio.NewReaderSize(strings.NewReader(text), 64<<10))
		if err != nil {
			return
		}
		table, _, err := newTimesTable(rows, lines)
		if err != nil {
			return
		}
		for _, row := range table.seconds {
			if len(row) == 0 || len(row) != len(table.seconds[0]) {
				t.Fatalf("rows of %d and %d times", len(row), len(table.seconds[0]))
			}
			for _, s := range row {
				if !(s >= 0) || math.IsInf(s, 1) {
					t.Fatalf("a time of %v", s)
				}
			}
		}
		if m, err := newMeasuredRun(table, nil, 1); err == nil {
			if _, _, err := m.consistentModels(); err != nil {
				t.Logf("no model: %v", err)
			}
		}
	})
}

// TestTimesRefuses checks that runs for which no advice is possible are refused.
func TestTimesRefuses(t *testing.T) {
	ranks := strings.Repeat("1 2\n", 20)
	for _, c := range []struct {
		text     string
		balanced []int
		want     string
	}{
		{strings.Repeat("1\n", 20), nil, "one rank"},
		{"1 2\n1 2\n", nil, "2 iterations; expected 10"},
		{ranks, []int{20}, "balanced before iteration 20; expected 1 to 19"},
		{ranks, []int{0}, "balanced before iteration 0"},
	} {
		e := Experiment{Times: report.Path(writeTemp(t, c.text)), Cost: time.Second, Balanced: c.balanced}
		if err := e.Run(context.Background(), report.Output{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
	for _, e := range []Experiment{{Times: "a"}, {Cost: time.Second}, {Balanced: []int{1}}, {Times: "a", Cost: 1, Curves: "b"}, {Times: "a", Cost: 1, Guard: true, Seeds: 1}} {
		var usage *report.UsageError
		if err := e.Run(context.Background(), report.Output{}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// A program computes the times of a run. Its function run returns the times of the ranks if the work is balanced before
// the given iterations.
type program struct {
	name       string
	iterations int
	cost       float64
	balanced   []int  // balancings in the run of the file
	law        string // correct model; "" if the file itself determines the model
	run        func(balances []int) [][]float64
}

// The function programs returns three programs that count their own work on eight ranks. In the first, particles move
// away from where they were distributed. In the second, a flame passes through a row of cells. In the third, work piles
// up in jumps in the last rank.
func programs() []program {
	return []program{
		{"particles", 400, 6, []int{200}, "", func(balances []int) (all [][]float64) {
			const ranks, count = 8, 4000
			at := make([]float64, count)
			for t := range 400 {
				if t == 0 || slices.Contains(balances, t) {
					for i := range at { // every rank gets equally many particles
						at[i] = float64(i) / count
					}
				}
				times := make([]float64, ranks)
				for i := range at {
					times[min(ranks-1, int(at[i]*ranks))] += 0.004
					at[i] += 0.0005 * (1 - at[i])
				}
				all = append(all, times)
			}
			return all
		}},
		{"flame", 500, 150, []int{100, 200, 300, 400}, "", func(balances []int) (all [][]float64) {
			const ranks, cells = 8, 800
			weight := func(c, t int) float64 {
				if d := c - t; d*d < 40*40 {
					return 1
				}
				return 0.1
			}
			var border [ranks + 1]int
			for t := range 500 {
				if t == 0 || slices.Contains(balances, t) {
					total, sum, w := 0.0, 0.0, 1
					for c := range cells {
						total += weight(c, t)
					}
					for c := range cells {
						if sum += weight(c, t); w < ranks && sum*ranks >= float64(w)*total {
							border[w], w = c+1, w+1
						}
					}
					border[ranks] = cells
				}
				times := make([]float64, ranks)
				for w := range times {
					for c := border[w]; c < border[w+1]; c++ {
						times[w] += weight(c, t)
					}
				}
				all = append(all, times)
			}
			return all
		}},
		{"queue", 300, 20, nil, "by time", func(balances []int) (all [][]float64) {
			shared, extra := 1.0, 0.0
			for t := range 300 {
				if slices.Contains(balances, t) {
					shared, extra = shared+extra/8, 0
				}
				if t%40 == 39 {
					extra += 0.5 + float64(t%7)/10
				}
				times := slices.Repeat([]float64{shared}, 8)
				times[7] += extra
				all = append(all, times)
			}
			return all
		}},
	}
}

func spent(times [][]float64) (sum float64) {
	for _, row := range times {
		sum += slices.Max(row)
	}
	return sum
}

// TestAdviceHolds checks that following the advice saves as much as the advice predicts. The first two runs were
// balanced, so their files determine the model. The third run was not balanced, so its model is given.
func TestAdviceHolds(t *testing.T) {
	for _, c := range programs() {
		m, err := newMeasuredRun(&timesTable{seconds: c.run(c.balanced)}, c.balanced, c.cost)
		if err != nil {
			t.Fatal(err)
		}
		open, _, err := m.consistentModels()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(open, func(l growthModel) bool { return l.name == c.law || c.law == "" })
		if i < 0 || c.law == "" && len(open) != 1 {
			t.Fatalf("%s: %d laws, of which the file does not choose one", c.name, len(open))
		}
		best, err := scenario.Optimum(context.Background(), open[i].app)
		if err != nil {
			t.Fatal(err)
		}
		said := m.total - best.Cost
		saved := m.total - spent(c.run(best.Balances)) - c.cost*float64(len(best.Balances))
		t.Logf("%s, %s: %.5g s, %d balancings save %.5g, said %.5g", c.name, open[i].name, m.total, len(best.Balances), saved, said)
		if math.Abs(said-saved) > 0.1*saved || saved <= 0 {
			t.Errorf("%s: balancing before %v saves %v of %v, the advice said %v", c.name, best.Balances, saved, m.total, said)
		}
	}
}

// TestLawsAreToldApart checks that two balancings are enough to find out whether an imbalance depends on the age or on
// time.
func TestLawsAreToldApart(t *testing.T) {
	for law, growth := range map[string]func(t, age int) float64{
		"by age":  func(_, age int) float64 { return 0.001 * float64(age*age) },
		"by time": func(t, age int) float64 { return max(0, float64(t-250)) * 0.1 * min(1, float64(age)) },
	} {
		balanced := []int{100, 200}
		table := &timesTable{}
		for i := range 300 {
			age := i
			for _, b := range balanced {
				if i >= b {
					age = i - b
				}
			}
			table.seconds = append(table.seconds, []float64{1, 1 + growth(i, age)})
		}
		m, err := newMeasuredRun(table, balanced, 1)
		if err != nil {
			t.Fatal(err)
		}
		open, why, err := m.consistentModels()
		if err != nil || len(open) != 1 || open[0].name != law || why == "" {
			t.Errorf("%s: %v, %s, %v", law, open, why, err)
		}
	}
}

// TestTimesPrints checks that the advice is printed in words and as lines of JSON, and drawn.
func TestTimesPrints(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "%v %v\n", 1, 1+0.05*float64(i))
	}
	file := writeTemp(t, text.String())
	var out strings.Builder
	e := Experiment{Times: report.Path(file), Cost: 2 * time.Second, Best: 1, Plot: report.Path(t.TempDir())}
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"60 iterations of 2 ranks", "cannot tell", "If the imbalance grows with the run", "% less than it did", "imbalance by age"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	count := map[any]int{}
	for _, m := range runJSON(t, Experiment{Times: report.Path(file), Cost: 2 * time.Second, Best: 1}) {
		count[m["experiment"]]++
	}
	if count["criteria-advice"] != 4 || count["criteria"] < 20 {
		t.Errorf("%v", count)
	}
}

// TestIndivisibleBlocksAreRefused checks a recording with as many blocks as parts. It must be refused, because every
// part owns a single block and no balancing would change anything.
func TestIndivisibleBlocksAreRefused(t *testing.T) {
	file := writeTemp(t, `{"format":"lockstep-loads","version":1,"blockSize":10,"triangles":[10,10,10,4]}
{"frame":0,"seconds":[1,2,3,4]}
`)
	err := (&Experiment{Loads: report.Path(file), Parts: 4, MoveBandwidth: 1}).Run(context.Background(), report.Output{})
	if err == nil || !strings.Contains(err.Error(), "one block, which cannot be divided") {
		t.Errorf("%v", err)
	}
}
