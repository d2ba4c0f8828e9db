package kernel

import "lockstep/vp/isa"

// A Set holds the functions for one instruction set. Each has exactly the same results as the function of the same
// name.
type Set struct {
	Level     isa.Level
	Summarize func(raw []byte) Summary
	Decode    func(dst Columns, raw []byte)
}

// For returns the functions for an instruction set, which this processor must have.
func For(level isa.Level) *Set {
	set := &Set{Level: isa.Generic, Summarize: Summarize, Decode: Decode}
	vectorize(set, level)
	return set
}

// Best returns the functions for the best instruction set of this processor. An environment variable may name another
// one (see isa.Env). If that is not available, the functions are those in plain Go.
func Best() *Set {
	level, err := isa.Select("")
	if err != nil {
		level = isa.Generic
	}
	return For(level)
}
