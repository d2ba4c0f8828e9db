package unpack

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// TestUnpack compares the loops of every instruction set with the specification, on any number
// of spans, to the last bit.
func TestUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	for _, level := range isa.Available() {
		loop := Select(level)
		for n := range 100 {
			records := make([]Record, 112)
			for i := range records {
				records[i] = Record{random.Uint32(), random.Uint32(), random.Uint32() >> 2, random.Uint32() >> 2}
			}
			got, want := array.MakeSpans(n), array.MakeSpans(n)
			loop(records, n, got)
			Unpack(records, n, want)
			if got.N != want.N || !slices.Equal(got.Start[:n], want.Start[:n]) || !slices.Equal(got.Count[:n], want.Count[:n]) ||
				!slices.Equal(got.Payload[:n], want.Payload[:n]) || !slices.Equal(got.E[:n], want.E[:n]) || !slices.Equal(got.DE[:n], want.DE[:n]) {
				t.Fatalf("%s: %d spans: %+v, want %+v", level, n, got, want)
			}
		}
	}
}
