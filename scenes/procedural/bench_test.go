package procedural

import (
	"context"
	"testing"

	"lockstep/scenes"
)

func BenchmarkScene(b *testing.B) {
	for _, name := range []string{"sphere", "torus", "bumpy", "knot", "slivers", "soup", "gear"} {
		b.Run("scene="+name, func(b *testing.B) {
			s, err := Parse("scene:" + name + "?triangles=100k")
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
				if err != nil {
					b.Fatal(err)
				}
				n = m.Len()
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
			if n < 90_000 || n > 110_000 {
				b.Fatalf("%d triangles", n)
			}
		})
	}
}
