package scanline

import "lockstep/vp/isa"

// twinLoops are the loops of all instruction sets that there are.
func twinLoops() map[string]Loop {
	loops := make(map[string]Loop)
	for _, level := range isa.Available() {
		loops[level.String()] = Select(level)
	}
	return loops
}
