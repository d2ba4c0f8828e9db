package section_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/section"
)

// TestRuns compares the cut of a mesh with cuts of its single triangles, with all data of triangles and corners. Runs
// of triangles on one side of the plane have all lengths, some triangles are not finite, and there are gaps between the
// parts.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 34))
	all, kept := 0, 0
	for round := range 60 {
		n := r.IntN(60)
		if round == 0 {
			n = scenes.BlockSize + 5
		}
		m := striped(r, n)
		all, kept = all+n, kept+compareRuns(t, m, section.Plane{Normal: [3]float64{1, 0.5, 0}, Offset: r.Float64() - 0.5})
	}
	if kept < 1000 || all < kept+1000 {
		t.Errorf("%d triangles were kept of %d", kept, all)
	}
}

// compareRuns compares a cut with the cuts of single triangles, and returns the number of triangles that remain.
func compareRuns(t *testing.T, m *scenes.Mesh, plane section.Plane) (kept int) {
	t.Helper()
	open := func(m *scenes.Mesh) *scenes.Mesh {
		c, _, err := section.Cut(m, []section.Plane{plane}, section.Options{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	got, parts := open(m), make([]scenes.Part, len(m.Parts))
	for i := range m.Len() {
		one := open(alone(m, i))
		for k := range one.Len() {
			if kept+k >= got.Len() || said(got, kept+k) != said(one, k) {
				t.Fatalf("triangle %d of %d is not what is left of it alone", i, m.Len())
			}
		}
		for p, part := range m.Parts {
			if one.Len() > 0 && part.First <= i && i < part.First+part.Count {
				if parts[p].Count == 0 {
					parts[p] = scenes.Part{Name: part.Name, First: kept}
				}
				parts[p].Count += one.Len()
			}
		}
		kept += one.Len()
	}
	parts = slices.DeleteFunc(parts, func(p scenes.Part) bool { return p.Count == 0 })
	if kept != got.Len() || !slices.Equal(got.Parts, parts) {
		t.Fatalf("%d triangles in parts %v, want %d in %v", got.Len(), got.Parts, kept, parts)
	}
	return kept
}

// striped returns a mesh in which runs of triangles lie on the same side of a plane.
func striped(r *rand.Rand, n int) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	m.Colors = make([]uint32, n)
	a := &scenes.Attributes{Vertices: 3 * n, MaterialOf: make([]int32, n), Fields: []scenes.Field{{Name: "corners"}, {Name: "triangles", OfTriangles: true}}}
	middle := 0.0
	for i := range n {
		if r.IntN(5) == 0 {
			middle = 4*r.Float64() - 2
		}
		var corners [3][3]float32
		for k := range corners {
			for axis := range 3 {
				corners[k][axis] = float32(middle + 0.3*r.Float64())
			}
		}
		if r.IntN(20) == 0 {
			corners[r.IntN(3)][r.IntN(3)] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(3)]
		}
		m.Set(i, corners)
		m.Colors[i], a.MaterialOf[i] = uint32(i), int32(i%7)
		a.Fields[1].Values = append(a.Fields[1].Values, float32(i))
	}
	for k := range 3 {
		a.Index[k] = columnOf(r, n, 3*n)
		a.Normals.Index[k], a.Colors.Index[k] = columnOf(r, n, 3*n), columnOf(r, n, 3*n)
	}
	a.TexCoords.Index = a.Index // attributes may share columns
	for range 3 * n {
		v := [3]float32{r.Float32(), r.Float32(), r.Float32()}
		a.Fields[0].Values = append(a.Fields[0].Values, v[0])
		a.Normals.Values, a.TexCoords.Values = append(a.Normals.Values, v), append(a.TexCoords.Values, [2]float32{v[1], v[2]})
		a.Colors.Values = append(a.Colors.Values, scenes.RGBA{uint8(255 * v[0]), uint8(255 * v[1]), 0, 255})
	}
	m.Attributes = a
	for first := r.IntN(4); first < n; first += r.IntN(4) {
		count := r.IntN(min(20, n-first) + 1)
		m.Parts = append(m.Parts, scenes.Part{Name: strconv.Itoa(len(m.Parts)), First: first, Count: count})
		first += count
	}
	return m
}

// columnOf returns n random indices less than most.
func columnOf(r *rand.Rand, n, most int) (column []uint32) {
	for range n {
		column = append(column, uint32(r.IntN(most)))
	}
	return column
}

// alone returns a mesh of triangle i of m.
func alone(m *scenes.Mesh, i int) *scenes.Mesh {
	one, a := *m, *m.Attributes
	one.Block, one.Parts, one.Attributes = m.Slice(i, i+1), nil, &a
	a.MaterialOf, a.Fields = a.MaterialOf[i:i+1], slices.Clone(a.Fields)
	a.Fields[1].Values = a.Fields[1].Values[i : i+1]
	for k := range 3 {
		for _, index := range []*[3][]uint32{&a.Index, &a.Normals.Index, &a.Colors.Index, &a.TexCoords.Index} {
			index[k] = index[k][i : i+1]
		}
	}
	return &one
}

// A saying holds all data of a triangle.
type saying struct {
	corners   [3][3]float32
	color     uint32
	material  int32
	field     float32
	ofCorners [3]float32
	normals   [3][3]float32
	colors    [3]scenes.RGBA
	places    [3][2]float32
}

func said(m *scenes.Mesh, t int) saying {
	a := m.Attributes
	s := saying{corners: m.Triangle(t), color: m.Colors[t], material: a.MaterialOf[t], field: a.Fields[1].Values[t]}
	for k := range 3 {
		s.ofCorners[k] = a.Fields[0].Values[a.Index[k][t]]
		s.normals[k], s.colors[k], s.places[k] = a.Normals.At(k, t), a.Colors.At(k, t), a.TexCoords.At(k, t)
	}
	return s
}

// TestRoomBehindValues cuts a mesh whose slices of values have spare capacity. The cut must not write to the spare
// capacity.
func TestRoomBehindValues(t *testing.T) {
	m := striped(rand.New(rand.NewPCG(5, 6)), 200)
	a := m.Attributes
	spare := append(a.Normals.Values, [3]float32{7, 7, 7})
	a.Normals.Values = spare[:len(spare)-1]
	got, _, err := section.Cut(m, []section.Plane{{Normal: [3]float64{1, 0, 0}}}, section.Options{Open: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Attributes.Normals.Values) == len(a.Normals.Values) {
		t.Fatal("no triangle was cut")
	}
	if spare[len(spare)-1] != [3]float32{7, 7, 7} {
		t.Error("a cut wrote behind the values of the mesh")
	}
}
