package surface

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// TestBatchLightsAsOneByOne compares the loops of every instruction set with light, to the
// last bit, also on triangles seen edge-on, from behind and beside their corners, on flat
// ones, and on those that want the same place.
func TestBatchLightsAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	axes := [3]vec{someVector(random), someVector(random), someVector(random)}
	eachRound(t, random, func(t *testing.T, s *Shader) {
		grid := []int32{1, 2, 4}[random.IntN(3)]
		for range 3 {
			pixels := light.Pixels{Left: between(random), Top: between(random), Grid: grid}
			n := 1 + random.IntN(light.Capacity)
			open := make([]float32, 100+light.SkyMargin)
			for i := range open {
				open[i] = random.Float32()
			}
			var triangles, places []uint32
			var want, normal []vec
			gap := random.IntN(2) * 80 // behind which skies are farther away than a vector reaches
			for i := range n {
				pixel := int32(3 * i / n)
				if pixel == 2 {
					pixel += int32(gap)
				}
				p := visible.MakePlace(pixel, 1+int32(random.IntN(int(grid*grid))), int32(random.IntN(63)-31), int32(random.IntN(63)-31))
				sumX, sumY := p.Sums()
				per := 1 / float32(2*grid*p.Count())
				x, y := float32(pixel)+pixels.Left+float32(float32(sumX)*per), pixels.Top-float32(float32(sumY)*per)
				var f facet
				triangles, places = append(triangles, someTriangle(random)), append(places, uint32(p))
				s.scene.load(&f, triangles[i])
				want, normal = append(want, s.light(&f, x, y, open[pixel])), append(normal, s.scene.at(&f, x, y).normal)
			}
			s.view.Right, s.view.Above, s.view.Near = axes[0].array(), axes[1].array(), axes[2].array()
			points := s.pointsOf(triangles, places)
			const guard = 7
			var to [3][]float32
			for axis := range to {
				to[axis] = make([]float32, light.Capacity+1)
				to[axis][(n+15)&^15] = guard
			}
			s.loops.Normals(&s.triangles, &s.view, &pixels, points, &s.batch, &to)
			for i, w := range normal {
				if got, along := (vec{to[0][i], to[1][i], to[2][i]}), (vec{w.dot(axes[0]), w.dot(axes[1]), w.dot(axes[2])}); got != along {
					t.Fatalf("point %d: normal %v, want %v", i, got, along)
				}
			}
			for axis := range to {
				if to[axis][(n+15)&^15] != guard {
					t.Fatalf("normals were written beyond %d points", n)
				}
			}
			if s.scene.Colors != nil {
				s.bases(triangles)
			}
			s.loops.Light(&s.triangles, &s.view, &pixels, points, open, &s.batch)
			s.done()
			for i, w := range want {
				if got := from(&s.batch, light.Color, i); got != w {
					t.Fatalf("point %d of %d: %v, want %v", i, n, got, w)
				}
			}
		}
	})
}

// TestRowsByVectors compares whole rows of pixels with those that are lit point by point:
// pixels of one triangle and of many, of all samples and of some, with gaps between them.
func TestRowsByVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 9))
	one := new(Shader)
	eachRound(t, random, func(t *testing.T, s *Shader) {
		one.Begin(s.scene, nil)
		grid := []int{1, 2, 4}[random.IntN(3)]
		const width = 3000
		var triangles []uint32
		var places []visible.Place
		for pixel := int32(0); pixel < width; pixel += int32(1 + random.IntN(3)*random.IntN(3)) {
			left := int32(grid * grid)
			for left > 0 && random.IntN(8) > 0 {
				count := 1 + int32(random.IntN(int(left)))
				if random.IntN(2) == 0 {
					count = left
				}
				left -= count
				triangles = append(triangles, someTriangle(random))
				sum := func() int32 { return int32(random.IntN(63) - 31) }
				if count == int32(grid*grid) {
					sum = func() int32 { return 0 }
				}
				places = append(places, visible.MakePlace(pixel, count, sum(), sum()))
			}
		}
		open := make([]float32, width+light.SkyMargin)
		for i := range open {
			open[i] = random.Float32()
		}
		background := random.Uint32()
		if random.IntN(2) == 0 {
			background |= 0xff << 24
		}
		got, want := make([]byte, 4*width), make([]byte, 4*width)
		x, y := between(random), between(random)
		s.Row(got, triangles, places, open, grid, x, y, background)
		one.Row(want, triangles, places, open, grid, x, y, background)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("grid %d, background %#x, pixel %d: %x, want %x", grid, background, i/4, got[i/4*4:][:4], want[i/4*4:][:4])
			}
		}
	})
}

// eachRound calls check for shaders of strange scenes, with the loops of every instruction
// set.
func eachRound(t *testing.T, random *rand.Rand, check func(t *testing.T, s *Shader)) {
	scene := strangeScene(random)
	scene.Lights = NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	records, colors := scene.Records, scene.Colors
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		s := new(Shader)
		for round := range 400 {
			some := func() vec { return someVector(random) }
			scene.Lens = Lens{Scale: 0.5, Pivot: some().array(), Origin: some().array(), OriginX: some().array(), OriginY: some().array(), Forward: [3]float32{0, 1, 0}}
			if round%2 == 0 {
				scene.Lens.ForwardX, scene.Lens.ForwardY = some().scale(0.1).array(), some().scale(0.1).array()
			}
			if scene.Records = records; round%8 == 7 {
				scene.Records = nil
			}
			if scene.Colors = colors; round%4 == 2 {
				scene.Colors = nil
			}
			s.Begin(scene, loops)
			if !t.Run(fmt.Sprintf("%s/%d", level, round), func(t *testing.T) { check(t, s) }) {
				return
			}
		}
	}
}

func between(random *rand.Rand) float32 { return random.Float32()*2 - 1 }

func someVector(random *rand.Rand) vec { return vec{between(random), between(random), between(random)} }

// someTriangle returns the number of one, often one that wants the place of others.
func someTriangle(random *rand.Rand) uint32 {
	number := uint32(random.IntN(strangeTriangles))
	if random.IntN(2) == 0 {
		number = number%3 + recordSlots*(number%4)
	}
	return number
}

// strangeTriangles is how many a strange scene has.
const strangeTriangles = 4*recordSlots + 10

// strangeScene has more triangles than a Shader has places, of all kinds.
func strangeScene(random *rand.Rand) *Scene {
	next := func() float32 { return random.Float32()*2 - 1 }
	const n = strangeTriangles
	scene := &Scene{Block: scenes.MakeBlock(n), Base: [3]float32{0.5, 0.4, 0.9}, Tables: NewColors(), Colors: make([]uint32, n)}
	var all []uint32
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
		all = append(all, normals[:]...)
		scene.Colors[t] = random.Uint32() & 0xffffff
	}
	scene.Records = NewRecords(&scene.Block, all, func(n int, do func(int)) {
		for task := range n {
			do(task)
		}
	})
	return scene
}
