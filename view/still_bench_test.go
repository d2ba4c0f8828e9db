package view

import (
	"testing"

	"lockstep/render/recipe"
)

// BenchmarkStill draws the first still picture after a movement, with another camera each time.
func BenchmarkStill(b *testing.B) {
	for _, triangles := range []string{"70k", "1M"} {
		b.Run(triangles, func(b *testing.B) {
			server, err := Start(Options{Meshes: []recipe.Mesh{{File: "scene:bumpy?triangles=" + triangles}}, Listen: "127.0.0.1:0"})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			s := &session{server: server}
			defer s.close()
			if err := s.setMesh(b.Context(), &request{}); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				r := request{Kind: "still", Size: recipe.Size{Width: 1280, Height: 720}}
				r.Picture.Size = r.Size
				r.Picture.Camera.View = &recipe.View{Azimuth: float64(i * 7 % 360), Elevation: 20}
				if _, err := s.drawStill(b.Context(), &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSlider moves a section through a mesh in steps, as the page's slider does.
func BenchmarkSlider(b *testing.B) {
	for _, triangles := range []string{"70k", "1M"} {
		b.Run(triangles, func(b *testing.B) {
			server, err := Start(Options{Meshes: []recipe.Mesh{{File: "scene:bumpy?triangles=" + triangles}}, Listen: "127.0.0.1:0", Policy: "never"})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			s := &session{server: server}
			defer s.close()
			if err := s.setMesh(b.Context(), &request{}); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				r := request{Kind: "move", Size: recipe.Size{Width: 1280, Height: 720}}
				r.Picture.Size = r.Size
				r.Picture.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{1, 0, 0}, Offset: 20 + float64(i*7%60), Percent: true, Keep: '<'}}
				if _, err := s.drawMovement(b.Context(), &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
