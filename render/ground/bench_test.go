package ground_test

import (
	"context"
	"fmt"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/ground"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// BenchmarkNew finds the shadow of a mesh. BenchmarkLay lays it behind a picture of the mesh.
func BenchmarkNew(b *testing.B) {
	mesh := benchMesh(b)
	for _, texels := range []int{256, 512} {
		b.Run(fmt.Sprint(texels), func(b *testing.B) {
			for b.Loop() {
				if _, err := ground.New(context.Background(), mesh, mesh.Bounds(), scenes.PlusZ, texels); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLay(b *testing.B) {
	mesh, ctx := benchMesh(b), context.Background()
	const width, height = 1920, 1080
	r, err := render.New(render.Options{Width: width, Height: height, Samples: 4})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	cam, err := camera.Fit(mesh.Bounds(), width, height, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		b.Fatal(err)
	}
	g, err := ground.New(ctx, mesh, mesh.Bounds(), scenes.PlusZ, 512)
	if err != nil {
		b.Fatal(err)
	}
	var pic render.Picture
	if _, err := r.Frame(ctx, mesh, cam, &pic); err != nil {
		b.Fatal(err)
	}
	transparent := append([]byte(nil), pic.Pix...)
	for name, of := range map[string]*ground.Ground{"gradient": nil, "shadow": g} {
		behind := white
		behind.Bottom, behind.Ground = new(render.RGB(0xdde1e6)), of
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(pic.Pix, transparent)
				if err := behind.Lay(ctx, &pic, &cam, height, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchMesh(b *testing.B) *scenes.Mesh {
	b.Helper()
	scene, err := procedural.Parse("scene:knot?triangles=70000")
	if err != nil {
		b.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return mesh
}
