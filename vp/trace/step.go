package trace

import (
	"encoding/json"
	"math"
	"strconv"
)

// Step is one record in the trace of a lockstep loop: mostly one iteration,
// with the decision before it. Whatever runs such loops writes the same record:
// vp.Array.Run, package render, a simulation.
//
// Summed over a whole loop, Iterations are the iterations of the loop, Unbalanced
// those of the same loop without redistributions, and Tasks the tasks solved. Tasks
// over Iterations times Processors is the use of the lanes.
type Step struct {
	// The place of the record: the frame, the name of the loop, its stage, the block
	// of problems, and the first problem of the group that the processors work on. An
	// unnamed loop, "", is the only one; its records have no place.
	Frame int
	Loop  string
	Stage string
	Block int
	Group int

	Iteration  int   // iterations of this loop, in this block, before this record
	Iterations int64 // that this record stands for: 1, or 0 where it is about a redistribution alone
	Unbalanced int64 // iterations that these stand for in the loop that never redistributes
	Processors int   // virtual processors, active or idle

	// Processors with tasks, the largest workload and the tasks left, before a
	// redistribution, and the tasks solved after it.
	Active int
	Max    int32
	Sum    int64
	Tasks  int64

	// The decision compared Savings with Cost, both in iterations. An infinite cost,
	// with which nothing is ever worthwhile, is null in JSON.
	Savings, Cost float64
	// Decision is None or another of the constants below, or a balancer's own reason
	// for going on, in a word or two.
	Decision string
	Parts    int // that a redistribution made, where it counts them
	// Redistributed says whether a redistribution was done.
	Redistributed bool
}

// The decisions. Every other word is a look without a redistribution, and the
// balancer's reason for it.
const (
	None          = "none"          // no look at the workload
	Kept          = "kept"          // a look: the savings did not exceed the cost
	Redistributed = "redistributed" // idle processors took over tasks at once
	Shared        = "shared"        // the tasks of a problem too large for one worker were offered to all
)

// Looked reports whether the record has a look: a comparison of savings with a cost.
func (s *Step) Looked() bool {
	switch s.Decision {
	case "", None, Shared:
		return false
	}
	return true
}

// AppendJSON appends the record as one JSON object. Keys that a reader can fill
// in are left out: the place of a loop without a name, iterations of 1,
// unbalanced when it equals iterations, tasks when it equals active, parts of 0
// and the decision "none".
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
			quoted, _ := json.Marshal(s) // a string has no error
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
