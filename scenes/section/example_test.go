package section_test

import (
	"context"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/quality"
	"lockstep/scenes/section"
)

// A cube is cut across its middle. A cap closes the remaining half.
func ExampleCut() {
	ctx := context.Background()
	scene, err := procedural.Parse("scene:cube")
	if err != nil {
		fmt.Println(err)
		return
	}
	cube, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	below := section.Plane{Normal: [3]float64{0, 0, 1}, Offset: 0.5} // keeps z <= 0.5
	half, report, err := section.Cut(cube, []section.Plane{below}, section.Options{Cap: 0xc9885b, Body: 0x9fb0c3})
	if err != nil {
		fmt.Println(err)
		return
	}
	whole, _ := quality.Of(cube)
	left, _ := quality.Of(half)
	fmt.Printf("%d triangles of caps; an area of %.3g, before %.3g\n", report.Caps, left.Area, whole.Area)
	// Output: 6 triangles of caps; an area of 20, before 24
}
