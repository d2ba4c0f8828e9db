// Command scan generates the vector twins of kernel.Scan.
package main

import (
	"maps"
	"slices"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// asideOf names the columns that those of a polygon are copied to when it is set
// aside, but for its rows.
var asideOf = map[string]string{
	"x0": "asideX0", "x1": "asideX1", "x2": "asideX2",
	"y0": "asideY0", "y1": "asideY1", "y2": "asideY2",
	"e0": "asideE0", "e1": "asideE1", "e2": "asideE2", "payload": "asidePayload",
}

// columns returns the columns of asideOf in order.
func columns() []string { return slices.Sorted(maps.Keys(asideOf)) }

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
	add("*int32", "index") // polygons of parts, whose rows are first and rows; nil without
	// The cursor.
	add("int64", "group", "polygons", "open", "row", "tallest", "look")
	add("int64", "cost", "tall") // groups with a polygon taller than tall are looked at
	// Polygons set aside.
	add("*int32", "asideX0", "asideY0", "asideX1", "asideY1", "asideX2", "asideY2")
	add("*float32", "asideE0", "asideE1", "asideE2")
	add("*int32", "asideFirst", "asideRows")
	add("*uint32", "asidePayload")
	add("int64", "aside", "asideMost")
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
	f := NewFile("scanArgs", "is what the vector twins of Scan work on.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}
