package kernel

import "lockstep/vp/isa"

// A Set is the loops for one instruction set. Each field does what the function
// of the same name does, to the last bit; those functions are the specification.
type Set struct {
	Level     isa.Level
	Summarize func(raw []byte) Summary
	Decode    func(dst Columns, raw []byte)
}

// For returns the loops for an instruction set that this processor has.
func For(level isa.Level) *Set {
	set := &Set{Level: isa.Generic, Summarize: Summarize, Decode: Decode}
	vectorize(set, level)
	return set
}

// Best returns the loops for the instruction set that the environment asks for
// (see isa.Env), and else for the best one that there is. A request that cannot
// be met gives plain Go.
func Best() *Set {
	level, err := isa.Select("")
	if err != nil {
		level = isa.Generic
	}
	return For(level)
}
