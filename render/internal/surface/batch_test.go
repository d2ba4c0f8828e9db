package surface

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// TestBatchLightsAsOneByOne compares the loops of every instruction set with light, to the
// last bit, also on triangles seen edge-on, from behind and beside their corners, on flat
// ones, and on those that want the same place.
func TestBatchLightsAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	next := func() float32 { return random.Float32()*2 - 1 }
	some := func() vec { return vec{next(), next(), next()} }
	scene := strangeScene(random)
	scene.Lights = NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	axes := [3]vec{some(), some(), some()}
	normals := scene.Normals
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		s := new(Shader)
		for round := range 400 {
			scene.Lens = Lens{Scale: 0.5, Pivot: some().array(), Origin: some().array(), OriginX: some().array(), OriginY: some().array(), Forward: [3]float32{0, 1, 0}}
			if round%2 == 0 {
				scene.Lens.ForwardX, scene.Lens.ForwardY = some().scale(0.1).array(), some().scale(0.1).array()
			}
			if scene.Normals = normals; round%8 == 7 {
				scene.Normals = nil
			}
			s.Begin(scene, loops)
			for range 3 {
				var want, normal []vec
				for range 1 + random.IntN(light.Capacity) {
					number := uint32(random.IntN(len(normals) / 3))
					if random.IntN(2) == 0 {
						number = number%3 + pointSlots*(number%4) // the same places
					}
					x, y, open := next(), next(), random.Float32()
					var f facet
					scene.load(&f, number)
					want = append(want, s.light(&f, x, y, open))
					normal = append(normal, scene.at(&f, x, y).normal)
					s.put(number, x, y, open)
				}
				s.view.Right, s.view.Above, s.view.Near = axes[0].array(), axes[1].array(), axes[2].array()
				loops.Gather(s.points.facets[:], &s.batch)
				loops.Normals(&s.view, &s.batch)
				for n, w := range normal {
					if got, along := from(&s.batch, light.Normal, n), (vec{w.dot(axes[0]), w.dot(axes[1]), w.dot(axes[2])}); got != along {
						t.Fatalf("%s, round %d, point %d: normal %v, want %v", level, round, n, got, along)
					}
				}
				loops.Light(&s.view, &s.batch)
				s.batch.N = 0
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
}

// strangeScene has more triangles than a Shader has places, of all kinds.
func strangeScene(random *rand.Rand) *Scene {
	next := func() float32 { return random.Float32()*2 - 1 }
	const n = 4*pointSlots + 10
	scene := &Scene{Block: scenes.MakeBlock(n), Base: [3]float32{0.5, 0.4, 0.9}, Tables: NewColors(), Colors: make([]uint32, n)}
	for t := range n {
		var c [3][3]float32
		for k := range c {
			c[k] = [3]float32{next(), next(), next()}
		}
		normals := [3]uint32{random.Uint32(), random.Uint32(), random.Uint32()}
		switch t % 7 {
		case 0:
			c[2] = c[1] // no area
		case 1:
			a := unpack(random.Uint32())
			normals = [3]uint32{pack(a), pack(a.scale(-1)), pack(a.scale(-1))} // may cancel out
		case 2:
			c[1][1], c[2][1] = c[0][1], c[0][1] // faces the eye
		case 3:
			normals[1], normals[2] = normals[0], normals[0]
		case 4:
			normals = [3]uint32{}
		}
		scene.Block.Set(t, c)
		scene.Normals = append(scene.Normals, normals[:]...)
		scene.Colors[t] = random.Uint32() & 0xffffff
	}
	return scene
}
