// Command geometry generates the assembly versions of geometry.Project.
package main

import (
	"fmt"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func fields() []Field {
	var f []Field
	add := func(typ string, names ...string) {
		for _, name := range names {
			f = append(f, Field{Name: name, Type: typ})
		}
	}
	for k := range 3 {
		for _, axis := range axes {
			add("*float32", corner(axis, k)) // corners of the block's triangles
		}
	}
	for k := range 3 {
		add("*int32", corner("outX", k), corner("outY", k))
		add("*float32", corner("outE", k))
	}
	add("*int32", "first", "rows", "source", "slow")
	add("*uint32", "light") // bits of intensities
	// triangles is the number of triangles to process. n and aside are counters to which the loop adds: n counts
	// polygons, and aside counts triangles for ClipTriangles.
	add("int64", "triangles", "n", "aside")
	// base is the index of the first triangle in its block.
	add("int32", "base")
	add("float32", "pivotX", "pivotY", "pivotZ", "scale", "near")
	// depth is the row W of the view's matrix in perspective, and the row E in orthographic views.
	for _, row := range []string{"rowX", "rowY", "depth"} {
		for k := range 4 {
			add("float32", corner(row, k))
		}
	}
	add("float32", "eyeX", "eyeY", "eyeZ")
	add("int32", "orthographic") // not 0 in orthographic views
	// snapX and snapY are the picture's centre minus snapMagicBits. They are added to the bits of rounded coordinates.
	add("int32", "snapX", "snapY", "width", "height")
	// front is -1 if front faces are drawn, otherwise 0; back is the same for back faces.
	add("int32", "front", "back")
	// The following fields are for deferred back faces, see array.Deferred. boxes is the number of boxes, and boxed the
	// number of polygons that have boxes.
	add("*uint32", "boxStart")
	add("*int32", "boxCount")
	add("*float32", "boxBound", "boxPlace")
	add("*uint32", "boxNumber")
	add("int64", "boxes", "boxed")
	add("int32", "number", "stride", "tileRows")
	add("[16]int32", "minX", "maxX", "minY", "maxY", "maxRows") // one for each lane
	return f
}

var axes = [3]string{"x", "y", "z"}

// corner returns the name of the field for corner or column k.
func corner(name string, k int) string { return fmt.Sprint(name, k) }

func main() {
	f := NewFile("geometry", "geometryArgs", "holds the arguments and results of a vector twin of Project.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}
