package camera_test

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/camera"
	"lockstep/scenes"
)

// A camera approaches on a smooth path and ends half a turn later.
func ExamplePath() {
	box := scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}
	keys := []camera.Keyframe{
		{Frame: 0, Eye: mgl64.Vec3{0, -8, 2}},
		{Frame: 2, Eye: mgl64.Vec3{6, 0, 2}},
		{Frame: 4, Eye: mgl64.Vec3{0, 4, 2}},
	}
	cams, err := camera.Path(box, keys, camera.Options{Up: scenes.PlusZ}, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, c := range cams {
		fmt.Printf("frame %d: eye at %.2f\n", k, c.Eye)
	}
	// Output:
	// frame 0: eye at [0.00 -8.00 2.00]
	// frame 1: eye at [3.00 -4.75 2.00]
	// frame 2: eye at [6.00 0.00 2.00]
	// frame 3: eye at [3.00 2.75 2.00]
	// frame 4: eye at [0.00 4.00 2.00]
}
