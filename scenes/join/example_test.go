package join_test

import (
	"context"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/join"
	"lockstep/scenes/procedural"
)

// A sphere is placed beside a red cube.
func ExampleMeshes() {
	ctx := context.Background()
	red := uint32(0xc04020)
	beside := scenes.Identity()
	beside[0][3] = 2.5 // moves along x
	var items []join.Item
	for _, name := range []string{"scene:cube", "scene:sphere?triangles=500"} {
		scene, err := procedural.Parse(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		items = append(items, join.Item{Mesh: mesh, Name: name})
	}
	items[0].Color = &red
	items[1].Transform = &beside
	both, err := join.Meshes(items, 0x9fb0c3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range both.Parts {
		fmt.Println(p.Name)
	}
	fmt.Printf("%d triangles, as wide as %.1f\n", both.Len(), both.Bounds().Size()[0])
	// Output:
	// scene:cube
	// scene:sphere?triangles=500
	// 444 triangles, as wide as 4.5
}
