package trace

import (
	"encoding/json"
	"math"
	"strconv"
)

// Step is one record in the trace of a lockstep loop. Most records stand for one iteration, with the decision before
// it. All such loops write the same record: vp.Array.Run, package render, and simulations.
//
// The sum of Iterations over a whole loop is the loop's number of iterations. The sum of Unbalanced is the number of
// iterations of the same loop without redistributions, and the sum of Tasks the number of tasks solved. The fraction of
// lanes in use is Tasks / (Iterations * Processors).
type Step struct {
	// Frame, Loop, Stage, Block and Group say which loop the record belongs to: the frame, the name of the loop, its
	// stage, the block of problems, and the first problem of the group that the processors work on. All are zero for a
	// loop without a name, which must be the only loop in its trace.
	Frame int
	Loop  string
	Stage string
	Block int
	Group int

	Iteration  int   // number of iterations of this loop, in this block, before this record
	Iterations int64 // number of iterations that this record stands for: mostly 1, but 0 for a redistribution alone
	Unbalanced int64 // number of iterations that a loop without redistributions takes for the same work
	Processors int   // number of virtual processors, active or idle

	// Active is the number of processors with tasks, Max the largest workload and Sum the tasks left, all before a
	// redistribution. Tasks is the number of tasks solved after it.
	Active int
	Max    int32
	Sum    int64
	Tasks  int64

	// The decision compared Savings with Cost, both in iterations. An infinite cost, for which no redistribution is
	// worth while, is null in JSON.
	Savings, Cost float64
	// Decision is None, another of the constants below, or the balancer's reason for not redistributing, in a word or
	// two.
	Decision string
	Parts    int // number of parts that a redistribution made, if the loop counts them
	// Redistributed says whether tasks were redistributed.
	Redistributed bool
}

// The values of Step.Decision. Any other word stands for a check without a redistribution, and is the balancer's
// reason.
const (
	None          = "none"          // the balancer did not check the workload
	Kept          = "kept"          // the balancer checked the workload: the savings did not exceed the cost
	Redistributed = "redistributed" // idle processors took over tasks at once
	Shared        = "shared"        // the tasks of a problem too large for one worker were offered to all
)

// Looked reports whether the balancer checked the workload: whether it compared savings with a cost.
func (s *Step) Looked() bool {
	switch s.Decision {
	case "", None, Shared:
		return false
	}
	return true
}

// AppendJSON appends the record as one JSON object. It leaves out keys that a reader can fill in: frame, block and
// group if the loop has no name, iterations if it is 1, unbalanced if it equals iterations, tasks if it equals active,
// parts if it is 0, and the decision "none".
func (s *Step) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	if s.Loop != "" {
		b = appendInt(b, "frame", int64(s.Frame))
		b = appendText(b, "loop", s.Loop)
		if s.Stage != "" {
			b = appendText(b, "stage", s.Stage)
		}
		b = appendInt(b, "block", int64(s.Block))
		b = appendInt(b, "group", int64(s.Group))
	}
	b = appendInt(b, "iteration", int64(s.Iteration))
	if s.Iterations != 1 {
		b = appendInt(b, "iterations", s.Iterations)
	}
	if s.Redistributed || s.Unbalanced != s.Iterations {
		b = appendInt(b, "unbalanced", s.Unbalanced)
	}
	if s.Processors != 0 {
		b = appendInt(b, "processors", int64(s.Processors))
	}
	b = appendInt(b, "active", int64(s.Active))
	b = appendInt(b, "max", int64(s.Max))
	b = appendInt(b, "sum", s.Sum)
	if s.Tasks != int64(s.Active) {
		b = appendInt(b, "tasks", s.Tasks)
	}
	b = appendNumber(b, "savings", s.Savings)
	b = appendNumber(b, "cost", s.Cost)
	if s.Decision != None && s.Decision != "" {
		b = appendText(b, "decision", s.Decision)
	}
	if s.Parts != 0 {
		b = appendInt(b, "parts", int64(s.Parts))
	}
	b = appendKey(b, "redistributed")
	b = strconv.AppendBool(b, s.Redistributed)
	return append(b, '}')
}

// MarshalJSON implements [json.Marshaler].
func (s Step) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

func appendKey(b []byte, key string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

func appendInt(b []byte, key string, v int64) []byte {
	return strconv.AppendInt(appendKey(b, key), v, 10)
}

// appendNumber writes a key and its number. Infinities and NaN, which JSON lacks, become null.
func appendNumber(b []byte, key string, v float64) []byte {
	b = appendKey(b, key)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func appendText(b []byte, key, s string) []byte {
	b = appendKey(b, key)
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // marshalling a string cannot fail
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
