// Command scan generates the vector twins of scanline.Converter.Run.
package main

import (
	"maps"
	"slices"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// deferredOf names the columns that those of a polygon are copied to when it is
// deferred, but for its rows.
var deferredOf = map[string]string{
	"x0": "deferredX0", "x1": "deferredX1", "x2": "deferredX2",
	"y0": "deferredY0", "y1": "deferredY1", "y2": "deferredY2",
	"e0": "deferredE0", "e1": "deferredE1", "e2": "deferredE2", "payload": "deferredPayload",
}

// columns returns the columns of deferredOf in order.
func columns() []string { return slices.Sorted(maps.Keys(deferredOf)) }

func fields() (f []Field) {
	add := func(typ string, names ...string) {
		for _, name := range names {
			f = append(f, Field{Name: name, Type: typ})
		}
	}
	// The polygons.
	add("*int32", "x0", "y0", "x1", "y1", "x2", "y2")
	add("*float32", "e0", "e1", "e2")
	add("*int32", "first", "rows")
	add("*uint32", "payload")
	add("*int32", "index") // polygons of row ranges, whose rows are first and rows; nil without
	// The cursor.
	add("int64", "group", "polygons", "open", "row", "tallest", "look")
	add("int64", "cost", "tall") // groups with a polygon taller than tall are looked at
	// Deferred polygons.
	add("*int32", "deferredX0", "deferredY0", "deferredX1", "deferredY1", "deferredX2", "deferredY2")
	add("*float32", "deferredE0", "deferredE1", "deferredE2")
	add("*int32", "deferredFirst", "deferredRows")
	add("*uint32", "deferredPayload")
	add("int64", "deferred", "deferredMost")
	// The spans.
	add("*uint32", "start")
	add("*int32", "count")
	add("*float32", "e", "de")
	add("*uint32", "spanPayload")
	add("int64", "n", "most")
	add("int64", "pause") // after more iterations no group is begun
	add("int64", "width", "stride")
	add("int64", "iterations", "tasks", "redistributions", "unbalanced")
	add("*groupState", "state")
	return f
}

func main() {
	f := NewFile("scanline", "scanArgs", "is what the vector twins of scan conversion work on.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}
