package kernel

import "lockstep/vp/isa"

// A Set holds the loops for one instruction set. Each field does exactly what the function of the same name does; those
// functions are the specification.
type Set struct {
	Level     isa.Level
	Summarize func(raw []byte) Summary
	Decode    func(dst Columns, raw []byte)
}

// For returns the loops for an instruction set, which this processor must have.
func For(level isa.Level) *Set {
	set := &Set{Level: isa.Generic, Summarize: Summarize, Decode: Decode}
	vectorize(set, level)
	return set
}

// Best returns the loops for the instruction set that the environment asks for (see isa.Env), or otherwise for the best
// that the processor has. If the request cannot be met, it returns plain Go.
func Best() *Set {
	level, err := isa.Select("")
	if err != nil {
		level = isa.Generic
	}
	return For(level)
}
