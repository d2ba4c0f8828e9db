package surface

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/texel"
	"lockstep/render/internal/normals"
	"lockstep/render/internal/visible"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// TestBatchLightsAsOneByOne compares the loops of every instruction set with the method lightPoint, bit for bit. Some
// triangles are seen edge-on, from behind or beside their corners, some are flat-shaded, and some compete for the same
// slot.
func TestBatchLightsAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	axes := [3]float3.Vector{someVector(random), someVector(random), someVector(random)}
	eachRound(t, random, func(t *testing.T, s *Shader) {
		grid := []int32{1, 2, 4}[random.IntN(3)]
		for range 3 {
			pixels := light.Pixels{Left: someNumber(random), Top: someNumber(random)}
			pixels.SetGrid(grid)
			n := 1 + random.IntN(light.Capacity)
			open := make([]float32, 100+light.SkyMargin)
			for i := range open {
				open[i] = random.Float32()
			}
			var triangles, places []uint32
			var want, normal []float3.Vector
			few := make([]uint32, 1+random.IntN(12)) // most points show one of these few triangles
			for i := range few {
				few[i] = someTriangle(random)
			}
			gap := random.IntN(2) * 80 // a gap makes the distance between two skies longer than a vector
			for i := range n {
				pixel := int32(3 * i / n)
				if pixel == 2 {
					pixel += int32(gap)
				}
				count, sum := 1+int32(random.IntN(int(grid*grid))), func() int32 { return int32(random.IntN(63) - 31) }
				if count == grid*grid {
					sum = func() int32 { return 0 } // all samples of the pixel show the triangle, so their offsets add up to 0
				}
				p := visible.MakePlace(pixel, count, sum(), sum())
				sumX, sumY := p.Sums()
				per := 1 / float32(2*grid*p.Count())
				x, y := float32(pixel)+pixels.Left+float32(float32(sumX)*per), pixels.Top-float32(float32(sumY)*per)
				var f facet
				triangle := few[random.IntN(len(few))]
				if grid == 1 {
					triangle = someTriangle(random)
				}
				triangles, places = append(triangles, triangle), append(places, uint32(p))
				s.scene.load(&f, triangles[i], nil)
				want, normal = append(want, s.lightPoint(&f, x, y, sideOf(p.Count(), grid*grid), open[pixel]).Scale(float32(p.Count()))), append(normal, s.scene.pointAt(&f, x, y).normal)
			}
			s.view.Right, s.view.Above, s.view.Near = axes[0].Array(), axes[1].Array(), axes[2].Array()
			points := s.pointsOf(triangles, places, nil)
			const guard = 7
			var to [3][]float32
			for axis := range to {
				to[axis] = make([]float32, light.Capacity+1)
				to[axis][(n+15)&^15] = guard
			}
			s.loops.Normals(&s.triangles, &s.view, &pixels, points, &s.batch, &to)
			for i, w := range normal {
				if got, along := (float3.New(to[0][i], to[1][i], to[2][i])), (float3.New(w.Dot(axes[0]), w.Dot(axes[1]), w.Dot(axes[2]))); got != along {
					t.Fatalf("point %d: normal %v, want %v", i, got, along)
				}
			}
			for axis := range to {
				if to[axis][(n+15)&^15] != guard {
					t.Fatalf("normals were written beyond %d points", n)
				}
			}
			s.releaseRecords()
			s.pixels = pixels
			var runs *light.Runs
			if s.scene.Records != nil && random.IntN(2) == 0 { // half of the rounds find the runs of points before lighting
				runs = &s.runs[random.IntN(2)]
				s.loops.Seek(&s.triangles, points, runs)
			}
			row := Row{Triangles: triangles, Open: open, Grid: int(grid), X: pixels.Left, Y: pixels.Top}
			for _, p := range places {
				row.Places = append(row.Places, visible.Place(p))
			}
			s.lightBatch(&row, 0, n, runs)
			if s.scene.hasSpecial() {
				s.lightSpecials(&row, 0, n)
			}
			for i, w := range want {
				if got := from(&s.batch, light.Color, i); got != w {
					t.Fatalf("point %d of %d: %v, want %v", i, n, got, w)
				}
			}
		}
	})
}

// TestRowsByVectors compares whole rows of pixels with rows that are lit point by point. The pixels show one triangle
// or many, with all or some samples. There are gaps between pixels, and edges at which points have skies of their own.
func TestRowsByVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 9))
	one := new(Shader)
	const width = 3000
	around := strangeCells(random, width)
	eachRound(t, random, func(t *testing.T, s *Shader) {
		one.Begin(s.scene, nil, nil)
		grid := []int{1, 2, 4}[random.IntN(3)]
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
		x, y := someNumber(random), someNumber(random)
		row := Row{Triangles: triangles, Places: places, Open: open, Grid: grid, Background: background, X: x, Y: y, Pix: got}
		row.Occlusion, row.Line = around, random.IntN(2*around.Height)
		for from := 0; from < width && random.IntN(99) > 0; from += occlude.Pixels {
			if random.IntN(2) == 0 {
				row.Edges = append(row.Edges, Edge{from, min(occlude.Pixels, width-from), random.Uint64()})
			}
		}
		s.LightRow(&row)
		row.Pix = want
		one.LightRow(&row)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("grid %d, background %#x, pixel %d: %x, want %x", grid, background, i/4, got[i/4*4:][:4], want[i/4*4:][:4])
			}
		}
	})
}

// strangeCells returns cells for pictures of the given width. The distances and normals of the cells are unrelated to
// what a row shows. Radius is so large that most cells still count.
func strangeCells(random *rand.Rand, width int) *Occlusion {
	o := new(Occlusion)
	o.Begin(width, 40, OcclusionView{
		Radius: 100, PerCell: 0.02, Nearest: 1, CenterX: float32(width) / 4, CenterY: 10, Axes: [3][3]float32{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
	}, nil)
	for y := range o.Height {
		o.beginRow(y, 0, o.Width)
		for x := range o.Width {
			at := o.at(x, y)
			o.Z[at], o.Open[at] = float32(math.Inf(1)), random.Float32()
			if random.IntN(4) > 0 {
				o.Z[at] = 3 + someNumber(random)
			}
			o.setNormal(at, someVector(random).Unit())
		}
	}
	return o
}

// eachRound calls check for shaders of strange scenes, with the loops of every instruction
// set.
func eachRound(t *testing.T, random *rand.Rand, check func(t *testing.T, s *Shader)) {
	scene := strangeScene(random)
	scene.Lights = NewLights([3]float64{1, 0, 0}, [3]float64{0, 0, 1}, [3]float64{0, -1, 0}, [3]float64{0, 0, 1})
	records, colors, paints := scene.Records, scene.Colors, strangePaints(random, scene.Tables)
	for _, level := range isa.Available() {
		loops := light.Select(level)
		if loops == nil {
			continue
		}
		s := new(Shader)
		for round := range 400 {
			some := func() float3.Vector { return someVector(random) }
			scene.Lens = Lens{Scale: 0.5, Pivot: some().Array(), Origin: some().Array(), OriginX: some().Array(), OriginY: some().Array(), Forward: [3]float32{0, 1, 0}}
			if round%2 == 0 {
				scene.Lens.ForwardX, scene.Lens.ForwardY = some().Scale(0.1).Array(), some().Scale(0.1).Array()
			}
			if scene.Records = records; round%8 > 5 { // some scenes have no records
				scene.Records = nil
			}
			if scene.Colors = colors; round%4 == 2 {
				scene.Colors = nil
			}
			paints[round%len(paints)](scene)
			s.Begin(scene, loops, texel.Select(level))
			if !t.Run(fmt.Sprintf("%s/%d", level, round), func(t *testing.T) { check(t, s) }) {
				return
			}
		}
	}
}

// strangePaints returns functions that set the colours of strange scenes: nothing, colours of sides, fields, colours of
// corners, and materials with and without textures, light and colours. Some numbers are NaN.
func strangePaints(random *rand.Rand, tables *Colors) []func(*Scene) {
	const n = strangeTriangles
	var index [3][]uint32
	for k := range index {
		for t := range n {
			index[k] = append(index[k], uint32(3*t+k))
		}
	}
	var colors []scenes.RGBA
	var uv [][2]float32
	var numbers []float32
	for range 3 * n {
		colors = append(colors, scenes.RGBA{uint8(random.IntN(256)), uint8(random.IntN(256)), uint8(random.IntN(256)), 255})
		uv = append(uv, [2]float32{3 * someNumber(random), 3 * someNumber(random)})
		numbers = append(numbers, someNumber(random))
		switch random.IntN(400) {
		case 0:
			uv[len(uv)-1][0], numbers[len(uv)-1] = float32(math.NaN()), float32(math.NaN())
		case 1:
			uv[len(uv)-1][1], numbers[len(uv)-1] = float32(math.Inf(1)), 1e30
		}
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 13, 6))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(random.IntN(256))
	}
	var materials []scenes.Material
	var materialOf []int32
	for i := range 8 {
		m := scenes.Material{BaseColor: [4]float32{random.Float32(), 1, 3 * random.Float32(), 1}, Unlit: i&1 != 0}
		if i&2 != 0 {
			m.Texture = &scenes.Texture{Picture: picture, Nearest: i&4 != 0, WrapU: scenes.Wrap(i % 3), WrapV: scenes.Wrap(i % 2)}
		}
		if i > 4 {
			m.Emission = [3]float32{random.Float32(), 0, 2 * random.Float32()}
			if i > 5 {
				m.Glow = &scenes.Texture{Picture: picture, Second: i == 6, Placement: &scenes.Placement{{1, 0.25, 0.5}, {-2, 1, 0}}}
			}
		}
		materials = append(materials, m)
	}
	for i := range 10 {
		materials = append(materials, strangeFinish(random, i, picture))
	}
	for range n {
		materialOf = append(materialOf, int32(random.IntN(len(materials)+1)-1))
	}
	plain := scenes.Attributes{Index: index, Vertices: 3 * n}
	colored, textured, both := plain, plain, plain
	colored.Colors = scenes.Attribute[scenes.RGBA]{Index: index, Values: colors}
	textured.TexCoords, textured.Materials, textured.MaterialOf = scenes.Attribute[[2]float32]{Index: index, Values: uv}, materials, materialOf
	second := slices.Clone(uv)
	slices.Reverse(second)
	textured.TexCoords2 = scenes.Attribute[[2]float32]{Index: index, Values: second}
	both.Colors, both.TexCoords, both.Materials, both.MaterialOf = colored.Colors, textured.TexCoords, materials, materialOf
	both.TexCoords2 = textured.TexCoords2
	field := &Field{Values: numbers, Index: index, Low: -0.5, High: 0.7, None: [3]float32{1, 0, 1}}
	field.Map, _ = NewMap("viridis")
	ofTriangles := *field
	ofTriangles.OfTriangles = true
	paint := func(p *Paint, f *Field, sides *[2][3]float32) func(*Scene) {
		return func(s *Scene) { s.Paint, s.Field, s.Facing, s.Finish = p, f, sides, nil }
	}
	finished := func(p *Paint, f scenes.Finish) func(*Scene) {
		return func(s *Scene) { s.Paint, s.Field, s.Facing, s.Finish = p, nil, nil, NewFinish(&f) }
	}
	paints := []func(*Scene){
		paint(nil, nil, nil), paint(NewPaint(&colored, tables), nil, nil), paint(NewPaint(&textured, tables), nil, nil), paint(NewPaint(&both, tables), nil, nil),
		paint(nil, field, nil), paint(nil, &ofTriangles, nil), paint(nil, nil, &[2][3]float32{{1, 0.5, 0}, {0, 0.2, 1}}),
	}
	alone := textured
	alone.Materials, alone.MaterialOf = materials[2:3], make([]int32, n)
	paints = append(paints, paint(NewPaint(&alone, tables), nil, nil), paint(nil, field, &[2][3]float32{{0, 0.5, 1}, {0.7, 0.2, 0}}))
	paints = append(paints, finished(nil, scenes.Finish{Metallic: 1, Roughness: 0.3}), finished(NewPaint(&both, tables), scenes.Finish{Specular: [3]float32{0.04, 0.1, 0}, Transmission: 0.8}))
	return append(paints, paint(NewPaint(&both, tables), field, nil), paint(NewPaint(&both, tables), nil, &[2][3]float32{{1, 0.5, 0}, {0, 0.2, 1}}))
}

// strangeFinish returns a material with a finish. The higher its number, the more textures it has.
func strangeFinish(random *rand.Rand, number int, picture *image.NRGBA) scenes.Material {
	f := &scenes.Finish{Metallic: random.Float32(), Roughness: random.Float32(), Specular: [3]float32{0.04, 0.01, random.Float32()}, NormalScale: 1}
	texture := &scenes.Texture{Picture: picture, WrapU: scenes.Wrap(number % 3)}
	moved := &scenes.Texture{Picture: picture, Placement: &scenes.Placement{{float32(number), 0, 0.5}, {0, 2, 0}}}
	second := &scenes.Texture{Picture: picture, Second: true}
	m := scenes.Material{BaseColor: [4]float32{random.Float32(), 1, random.Float32(), 1}, Finish: f}
	switch number {
	case 1:
		f.Surface, f.Metallic, f.Roughness = texture, 1, 1
		m.Emission = [3]float32{0, 0.2, 0}
		f.Occlusion, f.OcclusionAmount = second, 0.8
	case 2:
		f.Normals, f.NormalScale = second, 3
		m.Emission, m.Glow = [3]float32{0.4, 0, 0.1}, texture
	case 3:
		f.Occlusion, f.OcclusionAmount, f.Coat = texture, 0.7, 0.5
	case 4:
		f.Transmission, f.Through, f.Metallic = 0.9, texture, 0
		m.Emission, m.Texture = [3]float32{0.1, 0, 0.2}, texture
	case 6:
		m.Unlit = true
	case 7:
		f.SpecularTint, f.SpecularPart, f.GrazingLoss = second, texture, 0.25
	case 8:
		f.Sheen, f.SheenRoughness, f.SheenTint, f.SheenRough = [3]float32{0.5, 1, 0.25}, 1, texture, second
	case 9:
		f.Coat, f.CoatRoughness, f.CoatPart, f.CoatRough, f.CoatNormals, f.CoatNormalScale = 1, 1, texture, second, moved, 2
	case 5:
		f.Surface, f.Normals, f.Occlusion, f.OcclusionAmount = texture, moved, second, 1
		f.Transmission, m.Alpha = 1, scenes.AlphaBlend
	}
	return m
}

func someNumber(random *rand.Rand) float32 { return random.Float32()*2 - 1 }

func someVector(random *rand.Rand) float3.Vector {
	return float3.New(someNumber(random), someNumber(random), someNumber(random))
}

// someTriangle returns the number of a triangle. Triangles that compete for the same slot are frequent.
func someTriangle(random *rand.Rand) uint32 {
	number := uint32(random.IntN(strangeTriangles))
	if random.IntN(2) == 0 {
		number = number%3 + recordSlots*(number%4)
	}
	return number
}

// strangeTriangles is the number of triangles of a strange scene.
const strangeTriangles = 4*recordSlots + 10

// strangeScene returns a scene with triangles of all kinds, and more of them than a Shader has slots.
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
		packed := [3]uint32{random.Uint32(), random.Uint32(), random.Uint32()}
		switch t % 7 {
		case 0:
			c[2] = c[1] // the triangle has no area
		case 1:
			a := normals.Unpack(random.Uint32())
			packed = [3]uint32{normals.Pack(a), normals.Pack(a.Scale(-1)), normals.Pack(a.Scale(-1))} // the mean may be 0
		case 2:
			c[1][1], c[2][1] = c[0][1], c[0][1] // the triangle faces the eye
		case 3:
			packed[1], packed[2] = packed[0], packed[0]
		case 4:
			packed = [3]uint32{}
		}
		scene.Block.Set(t, c)
		all = append(all, packed[:]...)
		scene.Colors[t] = random.Uint32() & 0xffffff
	}
	scene.Records = normals.NewRecords(&scene.Block, all, func(n int, do func(int)) {
		for task := range n {
			do(task)
		}
	})
	return scene
}

// The function from returns the vector of a slot, from three columns of a batch.
func from(b *light.Batch, column, slot int) float3.Vector {
	return float3.New(b.Columns[column][slot], b.Columns[column+1][slot], b.Columns[column+2][slot])
}
