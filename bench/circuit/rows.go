package circuit

import (
	"fmt"
	"math"
	"text/tabwriter"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
)

// A row is one result of an experiment. Its numbers are means over the repetitions.
type row struct {
	Experiment  string        `json:"experiment"`
	Algorithm   string        `json:"algorithm"`
	Loads       int           `json:"loads"`    // total number of loads
	Mobility    float64       `json:"mobility"` // fraction of the loads that may move
	PEs         int           `json:"pes"`
	Topology    string        `json:"topology"`
	Flow        string        `json:"flow"`
	LoadsPerPE  float64       `json:"loads_per_pe"`
	Round       int           `json:"round"`
	Discrepancy float64       `json:"discrepancy"` // discrepancy after the round
	Moves       float64       `json:"moves"`       // moves in this round and all earlier ones
	S           report.Number `json:"s"`           // figure of merit, see circuit.S
	SRel        report.Number `json:"s_rel"`       // relative figure of merit, see circuit.SRel

	Split       string        `json:"split,omitempty"`
	GraphKept   bool          `json:"graph_kept"`
	Initial     float64       `json:"initial_discrepancy"`
	Error       report.Number `json:"discrepancy_se"` // standard error of the mean
	MovesError  report.Number `json:"moves_se"`
	Migrated    float64       `json:"migrated"` // number of loads that are not on the element on which they started
	Repetitions int           `json:"repetitions"`
	Seed        uint64        `json:"seed"`

	// Frame, FrameSeconds and MeanSeconds are set for recorded loads only. Round is then the number of the frame.
	// Discrepancy is then the time of the slowest node minus that of the fastest node in the frame, in seconds.
	Frame        *int    `json:"frame,omitempty"`
	FrameSeconds float64 `json:"frame_seconds,omitempty"` // time of the slowest node
	MeanSeconds  float64 `json:"mean_seconds,omitempty"`  // mean over all nodes
}

// A meanTally adds up values and returns their mean and its standard error.
type meanTally struct{ n, sum, squares float64 }

func (m *meanTally) add(x float64) {
	m.n++
	m.sum += x
	m.squares += float64(x * x)
}

func (m meanTally) mean() float64 { return m.sum / m.n }

// standardError returns the standard error of the mean. It is undefined for a single value.
func (m meanTally) standardError() report.Number {
	if m.n < 2 {
		return report.Number(math.NaN())
	}
	variance := (m.squares - float64(m.sum*m.sum)/m.n) / (m.n - 1)
	return report.Number(math.Sqrt(max(variance, 0) / m.n))
}

// setScores sets S and S_rel of rows that differ only in the algorithm. The scores are ratios of means over the
// repetitions. A mean of the ratios of single repetitions would mostly depend on the few repetitions with a very small
// discrepancy.
func setScores(rows []row) {
	baseline := math.NaN()
	for i := range rows {
		r := &rows[i]
		s := circuit.S(r.Initial, r.Discrepancy, r.Moves)
		r.S = report.Number(s)
		if r.Algorithm == baselineAlgorithm {
			baseline = s
		}
	}
	for i := range rows {
		rows[i].SRel = report.Number(circuit.SRel(float64(rows[i].S), baseline))
	}
}

// printRows prints rows as JSON objects or as a table.
func printRows(out report.Output, asJSON bool, rows []row) error {
	if asJSON {
		return report.WriteJSON(out.Stdout, rows...)
	}
	w := tabwriter.NewWriter(out.Stdout, 0, 0, 2, ' ', 0)
	head := rows[0]
	if head.Experiment == "circuit-pair" {
		fmt.Fprintf(w, "\n%d loads, %s split, %g%% mobile, %d repetitions\n", head.Loads, head.Split, 100*head.Mobility, head.Repetitions)
	} else {
		fmt.Fprintf(w, "\n%d elements, %s, %s, %g loads each, %g%% mobile, %d repetitions\n",
			head.PEs, head.Topology, head.Flow, head.LoadsPerPE, 100*head.Mobility, head.Repetitions)
	}
	fmt.Fprintln(w, "algorithm\tround\tdiscrepancy\t+-\tmoves\tmigrated\tS\tS_rel")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%.4g\t%s\t%.5g\t%.5g\t%s\t%s\n",
			r.Algorithm, r.Round, r.Discrepancy, r.Error.Text("%.1g"), r.Moves, r.Migrated, r.S.Text("%.3g"), r.SRel.Text("%.3g"))
	}
	return w.Flush()
}
