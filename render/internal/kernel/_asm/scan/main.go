// Command scan generates the assembly versions of scanline.Converter.Run.
package main

import . "lockstep/render/internal/kernel/_asm/lanes"

func fields() (f []Field) {
	add := func(typ string, names ...string) {
		for _, name := range names {
			f = append(f, Field{Name: name, Type: typ})
		}
	}
	// The next fields are the polygon array.
	add("*int32", "x0", "y0", "x1", "y1", "x2", "y2")
	add("*float32", "e0", "e1", "e2")
	add("*int32", "first", "rows")
	add("*uint32", "payload")
	// The next fields are the position in the polygon array.
	add("int64", "group", "polygons", "open", "row", "tallest", "look")
	add("int64", "spread")     // one bit for every lane whose rows are not spread over all lanes yet
	add("int64", "solvedRows") // rows of the first of these lanes that have been computed by columns
	// The next fields are the costs and times of redistributions. A redistribution costs `cost` for each polygon, and
	// full/16 for each iteration of a polygon. The first redistribution of the array also costs firstCost.
	// Redistributions are judged unless iterationTicks is 0.
	add("int64", "cost", "firstCost", "full", "iterationTicks", "began", "spent", "atMost", "ticks", "spreadTicks", "judged", "dearer")
	add("int64", "before", "isTall") // AVX2 only: number of spans before the last row, and not 0 if events are rare in the group
	add("int64", "tall")             // a group's workload is tested only if a polygon has more rows than this
	// The next fields are the span array.
	add("*uint32", "start")
	add("*int32", "count")
	add("*float32", "e", "de")
	add("*uint32", "spanPayload")
	add("int64", "n", "most")
	add("int64", "pause") // number of iterations after which no group is started
	add("int64", "width", "stride")
	add("int64", "iterations", "tasks", "looks", "redistributions", "moved", "unbalanced", "spreadIterations")
	add("*groupState", "state")
	return f
}

func main() {
	f := NewFile("scanline", "scanArgs", "holds the arguments, counts and position of a call.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}
