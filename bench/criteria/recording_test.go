package criteria

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/bench/report"
	"lockstep/lb/loads"
	"lockstep/lb/scenario"
)

// flyby returns a computed recording of a camera that flies low along a strip of terrain. The time of a block is a
// small time for its triangles, plus a time that grows with its size in the picture. Blocks behind the camera are
// culled.
func flyby(blocks, frames int) *loads.Recording {
	f := &loads.Recording{Header: loads.Header{Mesh: "flyby", BlockSize: 4096, Triangles: make([]int, blocks)}}
	for b := range f.Triangles {
		f.Triangles[b] = 4096
	}
	for t := range frames {
		at := -0.1 + 1.2*float64(t)/float64(frames)
		seconds := make([]float64, blocks)
		for b := range seconds {
			seconds[b] = 2e-5
			if ahead := (float64(b)+0.5)/float64(blocks) - at; ahead > 0 {
				seconds[b] += 2e-4 * 0.003 / (0.003 + ahead*ahead)
			}
		}
		f.Seconds = append(f.Seconds, seconds)
	}
	return f
}

func writeRecording(t *testing.T, f *loads.Recording) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recording.jsonl")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	buffered := bufio.NewWriter(out)
	w, err := loads.NewWriter(buffered, f.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Seconds {
		if err := w.WriteFrame(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(buffered.Flush(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFlyby checks that balancing saves time on a close flight past a mesh. Our criterion is allowed to do worse than
// Menon's, because it assumes that a balancing leaves the imbalance of the first distribution.
func TestFlyby(t *testing.T) {
	file := writeRecording(t, flyby(240, 300))
	relative := map[string]float64{}
	for _, m := range runJSON(t, Experiment{Loads: report.Path(file), Parts: 8, MoveLatency: 0.001, MoveBandwidth: 1e9}) {
		relative[m["criterion"].(string)] = m["relative"].(float64)
		t.Logf("%-12v cost %.4f s, relative %.4f, %d balancings", m["criterion"], m["cost"], m["relative"], len(m["balances"].([]any)))
	}
	if best := min(relative["menon"], relative["boulmier"]); relative["ours"] > 1.08*best {
		t.Errorf("ours %.4f, the better published criterion %.4f", relative["ours"], best)
	}
	if relative["never"] < 1.5 || relative["optimum"] != 1 {
		t.Errorf("never %.4f, optimum %v: the recording does not need balancing", relative["never"], relative["optimum"])
	}
}

// TestRecordingOptimum checks that the optimum of a recording is the least cost of all possible schedules.
func TestRecordingOptimum(t *testing.T) {
	m := newReplay(flyby(20, 11), 3, 1e-6, 1e11)
	best, err := scenario.Optimum(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for set := range 1 << 10 {
		var balances []int
		for t := 1; t < 11; t++ {
			if set>>(t-1)&1 == 1 {
				balances = append(balances, t)
			}
		}
		cost, err := scenario.Evaluate(m, balances)
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, cost)
	}
	if best.Cost != least || len(best.Balances) == 0 {
		t.Errorf("optimum %v, want the cost %v and some balancings", best, least)
	}
}

// TestCutChain checks that no other division of a chain of blocks has a smaller maximum load.
func TestCutChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "blocks")
		parts := rapid.IntRange(1, n).Draw(t, "parts")
		sums := make([]float64, n+1)
		for b := range n {
			sums[b+1] = sums[b] + float64(rapid.IntRange(0, 9).Draw(t, "load"))
		}
		cut := cutChain(sums, parts)
		if len(cut) != parts+1 || cut[0] != 0 || cut[parts] != n {
			t.Fatalf("cut %v of %d blocks", cut, n)
		}
		got := 0.0
		for p := range parts {
			if cut[p+1] < cut[p] {
				t.Fatalf("cut %v", cut)
			}
			got = max(got, sums[cut[p+1]]-sums[cut[p]])
		}
		// least[b] is the smallest possible maximum load of the first b blocks. Each round allows one part more.
		least := make([]float64, n+1)
		for b := 1; b <= n; b++ {
			least[b] = math.Inf(1)
		}
		for range parts {
			next := make([]float64, n+1)
			for b := range next {
				next[b] = math.Inf(1)
				for a := 0; a <= b; a++ {
					next[b] = min(next[b], max(least[a], sums[b]-sums[a]))
				}
			}
			least = next
		}
		if got > least[n]*(1+1e-12) {
			t.Fatalf("cut %v has bottleneck %v, want %v", cut, got, least[n])
		}
	})
}

func TestMoveCost(t *testing.T) {
	f := &loads.Recording{Header: loads.Header{BlockSize: 10, Triangles: []int{10, 10, 10, 10}}, Seconds: [][]float64{{1, 1, 1, 1}}}
	m := newReplay(f, 2, 0.5, 36)
	if got := m.moveCost([]int{0, 2, 4}, []int{0, 2, 4}); got != 0.5 {
		t.Errorf("no move takes %v", got)
	}
	// The first element sends one block of 10 triangles. At 36 bytes per triangle and 36 bytes per second this takes 10
	// seconds.
	if got := m.moveCost([]int{0, 2, 4}, []int{0, 1, 4}); got != 10.5 {
		t.Errorf("a move of one block takes %v, want 10.5", got)
	}
	if got := m.moveCost([]int{0, 0, 4}, []int{0, 4, 4}); got != 40.5 {
		t.Errorf("a move of all takes %v, want 40.5", got)
	}
}

func TestDamagedRecording(t *testing.T) {
	run := func(text string, parts int) error {
		return (&Experiment{Loads: report.Path(writeTemp(t, text)), Parts: parts, MoveBandwidth: 1}).Run(context.Background(), report.Output{Stdout: &bytes.Buffer{}})
	}
	var in *report.InputError
	head := `{"format":"lockstep-loads","version":1,"blockSize":4,"triangles":[4]}` + "\n"
	if err := run(head+"x", 1); !errors.As(err, &in) || in.Line != 2 {
		t.Errorf("%v, want line 2", err)
	}
	var usage *report.UsageError
	if err := run(head+`{"frame":0,"seconds":[1]}`, 2); !errors.As(err, &usage) || !strings.Contains(err.Error(), "1 blocks") {
		t.Errorf("more parts than blocks: %v", err)
	}
}
