package partition

import (
	"encoding/json"
	"fmt"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/loads"
)

// run replays all frames and sets r.result.
func (r *replay) run() error {
	for _, n := range r.film.Triangles {
		r.bytes = append(r.bytes, float64(n)*bytesPerTriangle)
	}
	var meter effort.Meter
	for t, seconds := range r.film.Seconds {
		balanced, cost := t == 0 || r.criterion.Decide().Balance, 0.0
		if balanced {
			var err error
			if cost, err = r.balance(t); err != nil {
				return err
			}
		}
		s := r.frameSample(seconds)
		s.Balanced, s.Cost = balanced, cost
		r.criterion.Observe(s)
		if t == 0 {
			s.Cost = 0 // the first distribution of the mesh is no part of the film's time
		} else if balanced {
			r.balances = append(r.balances, t)
		}
		r.seconds += s.Max + s.Cost
		r.ideal += s.Mean
		meter.Observe(s)
	}
	for _, i := range meter.Intervals() {
		r.effort = append(r.effort, i.Effort())
	}
	total := meter.Total()
	r.cost, r.residual, r.growth = total.Cost, total.Residual, total.Growth
	return nil
}

// frameSample returns the sample of a frame, from the seconds of every block.
func (r *replay) frameSample(seconds []float64) criterion.Sample {
	busy := make([]float64, r.nodes)
	for b, s := range seconds {
		busy[r.owner[b]] += s
	}
	return criterion.Of(busy)
}

// A line is the JSON object of a result.
type line struct {
	Experiment      string    `json:"experiment"`
	Loads           string    `json:"loads"`
	PEs             int       `json:"pes"`
	Blocks          int       `json:"blocks"`
	Frames          int       `json:"frames"`
	Partitioner     string    `json:"partitioner"`
	Criterion       string    `json:"criterion"`
	ParallelSeconds float64   `json:"parallel_seconds"`
	IdealSeconds    float64   `json:"ideal_seconds"`
	Balances        int       `json:"balances"`
	BalancedAt      []int     `json:"balanced_at"`
	MigratedBytes   float64   `json:"migrated_bytes"`
	CostSeconds     float64   `json:"cost_seconds"`
	ResidualSeconds float64   `json:"residual_seconds"`
	GrowthSeconds   float64   `json:"growth_seconds"`
	Effort          []float64 `json:"effort"`
}

// formatResults returns the results as JSON lines or as a table.
func (e *Experiment) formatResults(film *loads.Recording, results []result) (string, error) {
	var text strings.Builder
	if e.JSON {
		encoder := json.NewEncoder(&text)
		for _, r := range results {
			err := encoder.Encode(line{
				"partition", string(e.Loads), e.PEs, len(film.Triangles), len(film.Seconds), r.partitioner, r.criterion,
				r.seconds, r.ideal, len(r.balances), append([]int{}, r.balances...), r.bytes, r.cost, r.residual, r.growth, r.effort,
			})
			if err != nil {
				return "", err
			}
		}
		return text.String(), nil
	}
	fmt.Fprintf(&text, "%s: %d blocks on %d nodes, %d frames\n", e.Loads, len(film.Triangles), e.PEs, len(film.Seconds))
	w := report.NewTable(&text)
	fmt.Fprint(w, "partitioner\tcriterion\tms a frame\tideal\tcost\tresidual\tgrowth\tbalancings\tMB moved\t\n")
	frames := float64(len(film.Seconds)) / 1000
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%d\t%.4g\t\n", r.partitioner, r.criterion,
			r.seconds/frames, r.ideal/frames, r.cost/frames, r.residual/frames, r.growth/frames, len(r.balances), r.bytes/1e6)
	}
	err := w.Flush()
	return text.String(), err
}
