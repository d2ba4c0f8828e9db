// Package unpack turns spans that are kept one by one to the columns that the z-buffer wants.
package unpack

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// StartBits are those of a record's first word that hold the start.
const StartBits = 18

// A Record is a span: its start and, in the bits above, its count less one; its payload, its
// nearness, and what that grows by.
type Record [4]uint32

// A Loop sets spans, which have room for that and a vector more, to those of the records, of
// which there are whole vectors of array.Lanes: the first n count.
type Loop func(records []Record, n int, spans *array.Spans)

// Select returns the loop for an instruction set.
func Select(level isa.Level) Loop { return selectLoop(level) }

// Unpack is the specification of a Loop.
func Unpack(records []Record, n int, spans *array.Spans) {
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i, r := range records[:n] {
		start[i], count[i], payload[i] = r[0]%(1<<StartBits), int32(r[0]>>StartBits)+1, r[1]
		e[i], de[i] = math.Float32frombits(r[2]), math.Float32frombits(r[3])
	}
	spans.N = n
}
