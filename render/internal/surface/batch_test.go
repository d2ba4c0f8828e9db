package surface

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/light"
	"lockstep/vp/isa"
)

// TestBatchLightsAsOneByOne compares the loops of every instruction set with light, to the
// last bit, also on triangles seen edge-on, from behind and beside their corners.
func TestBatchLightsAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	next := func() float32 { return random.Float32()*2 - 1 }
	some := func() vec { return vec{next(), next(), next()} }
	scene := &Scene{Normals: []uint32{}, Base: [3]float32{0.5, 0.4, 0.9}}
	scene.Lights = NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	for _, level := range isa.Available() {
		loop := light.Select(level)
		if loop == nil {
			continue
		}
		for round := range 2000 {
			scene.Lens = Lens{Origin: some().array(), OriginX: some().array(), OriginY: some().array(), Forward: [3]float32{0, 1, 0}}
			if round%2 == 0 {
				scene.Lens.ForwardX, scene.Lens.ForwardY = some().scale(0.1).array(), some().scale(0.1).array()
			}
			var s Shader
			s.Begin(scene, loop)
			var want []vec
			for n := range 1 + random.IntN(light.Capacity) {
				f := facet{smooth: true, corner: some(), e1: some(), e2: some(), normals: [3]vec{some().unit(), some().unit(), some().unit()}, base: some().scale(1.5)}
				switch n % 5 {
				case 0:
					f.e2 = f.e1 // no area
				case 1:
					f.normals[1], f.normals[2] = f.normals[0].scale(-1), vec{} // may cancel out
				case 2:
					f.e1.y, f.e2.y = 0, 0 // faces the eye
				}
				f.normal = f.e1.cross(f.e2)
				x, y, open := next(), next(), random.Float32()
				want = append(want, s.light(&f, x, y, open))
				s.put(&f, x, y, open)
			}
			s.run()
			for n, w := range want {
				steps := [3]uint32{}
				for a := range steps {
					steps[a] = math.Float32bits(s.batch.Columns[light.Step+a][n])
				}
				if wanted := [3]uint32{stepOf(w.x), stepOf(w.y), stepOf(w.z)}; steps != wanted {
					t.Fatalf("%s, round %d, point %d: steps %v, want %v", level, round, n, steps, wanted)
				}
				if got := from(&s.batch, light.Color, n); got != w {
					t.Fatalf("%s, round %d, point %d: %v, want %v", level, round, n, got, w)
				}
			}
		}
	}
}
