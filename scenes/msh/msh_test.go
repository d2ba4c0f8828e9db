package msh

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

const (
	head2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
	head4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
	// nodes2 and nodes4 hold a tetrahedron and a point above it, in the formats 2 and 4. Some tags are not used.
	nodes2 = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 1 1 1\n$EndNodes\n"
	nodes4 = "$Nodes\n2 5 1 9\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 1 1 1\n9\n1 1 1 0.5 0.5\n$EndNodes\n"
	// elements2 holds a tetrahedron, the triangle that is its base, another triangle, a line and a point.
	elements2 = "$Elements\n5\n1 4 2 7 1 1 2 3 4\n2 2 2 8 2 1 2 3\n3 2 2 8 3 2 3 9\n4 1 2 0 1 1 2\n5 15 2 0 1 1\n$EndElements\n"
	elements4 = "$Elements\n4 5 1 5\n3 1 4 1\n1 1 2 3 4\n2 2 2 2\n2 1 2 3\n3 2 3 9\n1 1 1 1\n4 1 2\n0 1 15 1\n5 1\n$EndElements\n"
	data      = "$NodeData\n1\n\"t\"\n1\n0.5\n3\n0\n1\n2\n1 10\n9 90\n$EndNodeData\n$ElementData\n1\n\"U\"\n1\n0\n3\n0\n3\n2\n1 3 4 0\n3 0 0 2\n$EndElementData\n"
)

var cases = []meshtest.Case{
	{Name: "version 2", File: head2 + nodes2 + elements2 + data, Triangles: 5},
	{Name: "version 4", File: head4 + nodes4 + elements4 + data, Triangles: 5},
	{Name: "comments and other sections", File: "$Comments\nx\n$EndComments\n" + head4 + "$Entities\n1 0 0 0\n1 0 0 0 0\n$EndEntities\n" + nodes4 + elements4, Triangles: 5},
	{Name: "data before elements", File: head2 + nodes2 + data + elements2, Triangles: 5},
	{Name: "no such node", File: head2 + nodes2 + strings.Replace(elements2, "2 3 9", "2 3 8", 1), Triangles: 4, Warning: "cell 2: left out: a point that is not there"},
	{Name: "unknown type", File: head2 + nodes2 + strings.Replace(elements2, "3 2 2 8 3 2 3 9", "3 777 2 8 3 2 3 9", 1), Triangles: 4, Warning: `"Elements": elements of the unknown type 777`},
	{Name: "cut off", File: head2 + nodes2 + elements2[:40], Triangles: 4, Warning: `"Elements": the file ends early`},
	{Name: "a word", File: head2 + nodes2 + strings.Replace(elements2, "2 3 9", "2 x 9", 1), Triangles: 4, Warning: `"Elements": "x" where a number should be`},
	{Name: "more nodes than bytes", File: strings.Replace(head4+nodes4, "3 1 0 4", "3 1 0 4000000", 1) + elements4, Damage: `"Nodes": 4000000 entries, more than its bytes hold`},
	{Name: "corners of elements", File: head2 + nodes2 + elements2 + "$ElementNodeData\n1\n$EndElementNodeData\n", Triangles: 5, Warning: "its data: 1 field of corners of elements is not drawn"},
	{Name: "too many numbers", File: head2 + nodes2 + elements2 + strings.Replace(data, "\n3\n0\n1\n2\n", "\n3\n0\n1\n99\n", 1), Triangles: 5, Warning: `NodeData: 99 entries, more than its bytes hold`},
	{Name: "version 4.0", File: "$MeshFormat\n4 0 8\n$EndMeshFormat\n", Damage: `version "4" is not read: expected 2.2 or 4.1`},
	{Name: "a wedge of 40 nodes", File: head2 + nodes2 + "$Elements\n1\n1 90 0 1 2 3 4 9 9" + strings.Repeat(" 1", 34) + "\n$EndElements\n", Triangles: 8},
	{Name: "a pyramid of 30 nodes", File: head2 + nodes2 + "$Elements\n1\n1 118 0 1 2 3 4 9" + strings.Repeat(" 1", 25) + "\n$EndElements\n", Triangles: 6},
	{Name: "a pyramid of 385 nodes", File: head2 + nodes2 + "$Elements\n1\n1 124 0 1 2 3 4 9" + strings.Repeat(" 1", 380) + "\n$EndElements\n", Triangles: 6},
	{Name: "the outline of a curved surface", File: head2 + nodes2 + "$Elements\n2\n1 9 0 1 2 3 4 4 9\n2 8 0 1 2 4\n$EndElements\n", Triangles: 1},
	{Name: "points alone", File: head2 + nodes2, Triangles: 40},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

func read(t *testing.T, file string) *scenes.Mesh {
	t.Helper()
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
	if err != nil || rep.Format != FormatName {
		t.Fatal(err, rep)
	}
	meshtest.Attributes(t, m)
	return m
}

// TestFields checks that vertices have the data of their nodes, or NaN if a node has no data, and that triangles have
// the data of their elements.
func TestFields(t *testing.T) {
	for _, file := range []string{head2 + nodes2 + elements2 + data, head4 + nodes4 + elements4 + data} {
		m := read(t, file)
		var names []string
		for _, f := range m.Attributes.Fields {
			names = append(names, f.Name)
		}
		want := []string{"t", "U", "U:x", "U:y", "U:z", "geometrical", "physical", "cell"}
		if strings.HasPrefix(file, head4) {
			want = slices.DeleteFunc(want, func(s string) bool { return s == "physical" })
		}
		if !slices.Equal(names, want) {
			t.Errorf("fields %v", names)
		}
		for i := range m.Len() {
			cell := m.Field("cell").Values[i]
			length := map[float32]float32{0: 5, 2: 2}[cell]
			entity := map[float32]float32{0: 1, 2: 3}[cell]
			if strings.HasPrefix(file, head4) && cell == 2 {
				entity = 2
			}
			if m.Field("U").Values[i] != length || length == 0 || m.Field("geometrical").Values[i] != entity {
				t.Errorf("triangle %d of element %v: %v, entity %v", i, cell, m.Field("U").Values[i], m.Field("geometrical").Values[i])
			}
			for k, c := range m.Triangle(i) {
				v := m.Field("t").Values[m.Attributes.Index[k][i]]
				if want := map[[3]float32]float32{{0, 0, 0}: 10, {1, 1, 1}: 90}[c]; v != want && (v == v || want != 0) {
					t.Errorf("%v: %v", c, v)
				}
			}
		}
	}
}

// TestOrders checks that elements of high order have the same number of nodes as in Gmsh.
func TestOrders(t *testing.T) {
	square := func(i int) int { return i * i }
	for _, c := range []struct {
		first, last int64
		order       int // order of the first type
		nodes       func(order int) int
	}{
		{71, 75, 6, func(k int) int { return (k + 1) * (k + 2) * (k + 3) / 6 }},
		{92, 98, 3, func(k int) int { return (k + 1) * square(k+1) }},
		{106, 110, 5, func(k int) int { return square(k+1) * (k + 2) / 2 }},
		{118, 124, 3, func(k int) int { return (k + 1) * (k + 2) * (2*k + 3) / 6 }},
	} {
		for of := c.first; of <= c.last; of++ {
			if want := c.nodes(c.order + int(of-c.first)); kinds[of].nodes != want || kinds[of].cell != kinds[c.first].cell {
				t.Errorf("type %d: %+v, want %d nodes", of, kinds[of], want)
			}
		}
	}
}

// TestSkin checks that a triangle that is also a face of a tetrahedron is left out, so that the surface is closed.
func TestSkin(t *testing.T) {
	m := read(t, head2+nodes2+strings.Replace(elements2, "3 2 2 8 3 2 3 9", "3 2 2 8 3 1 2 4", 1))
	if m.Len() != 4 {
		t.Errorf("%d triangles", m.Len())
	}
	meshtest.Watertight(t, m)
}

// packed returns binary files of the versions 2.2 and 4.1 that hold the same mesh.
func packed(t *testing.T, order binary.ByteOrder) (files []string) {
	t.Helper()
	put := func(b *bytes.Buffer, v ...any) {
		for _, one := range v {
			if err := binary.Write(b, order, one); err != nil {
				t.Fatal(err)
			}
		}
	}
	values := func(b *bytes.Buffer) {
		b.WriteString("$NodeData\n1\n\"t\"\n1\n0\n3\n0\n1\n2\n")
		put(b, int32(1), 10.0, int32(9), 90.0)
		b.WriteString("\n$EndNodeData\n")
	}
	places := [][]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}
	var two, four bytes.Buffer
	for _, b := range []*bytes.Buffer{&two, &four} {
		fmt.Fprintf(b, "$MeshFormat\n%s 1 8\n", map[bool]string{true: "2.2", false: "4.1"}[b == &two])
		put(b, int32(1))
		b.WriteString("\n$EndMeshFormat\n$Nodes\n")
	}
	two.WriteString("5\n")
	for i, p := range places {
		put(&two, int32([]int{1, 2, 3, 4, 9}[i]), p)
	}
	two.WriteString("\n$EndNodes\n$Elements\n3\n")
	put(&two, int32(4), int32(1), int32(2), []int32{1, 7, 1, 1, 2, 3, 4}, int32(2), int32(2), int32(2), []int32{2, 8, 2, 1, 2, 3, 3, 8, 3, 2, 3, 9})
	two.WriteString("\n$EndElements\n")
	values(&two)
	put(&four, []int64{1, 5, 1, 9}, []int32{3, 1, 0}, int64(5), []int64{1, 2, 3, 4, 9})
	for _, p := range places {
		put(&four, p)
	}
	four.WriteString("\n$EndNodes\n$Elements\n")
	put(&four, []int64{2, 3, 1, 3}, []int32{3, 1, 4}, int64(1), []int64{1, 1, 2, 3, 4}, []int32{2, 2, 2}, int64(2), []int64{2, 1, 2, 3, 3, 2, 3, 9})
	four.WriteString("\n$EndElements\n")
	values(&four)
	return []string{two.String(), four.String()}
}

// TestBinary reads the same mesh from binary files in both byte orders.
func TestBinary(t *testing.T) {
	want := read(t, head2+nodes2+elements2+data)
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, file := range packed(t, order) {
			got := read(t, file)
			meshtest.Same(t, got, want)
			if bits := got.Field("t").Values; len(bits) != 5 || bits[0] != 10 || !slices.Contains(bits, 90) {
				t.Errorf("%v", bits)
			}
		}
	}
}

// TestMemory checks that many almost empty sections of a small file cannot make the reader allocate large fields.
func TestMemory(t *testing.T) {
	var nodes strings.Builder
	const n = 10_000
	fmt.Fprintf(&nodes, "$Nodes\n%d\n", n)
	for i := range n {
		fmt.Fprintf(&nodes, "%d 0 0 %d\n", i+1, i)
	}
	nodes.WriteString("$EndNodes\n")
	var fields strings.Builder
	for i := range 100 {
		fmt.Fprintf(&fields, "$NodeData\n1\n\"a%d\"\n0\n3\n0\n64\n0\n$EndNodeData\n", i)
	}
	var limit *scenes.LimitError
	_, _, err := format.Read(context.Background(), strings.NewReader(head2+nodes.String()+elements2+fields.String()), scenes.ReadOptions{}, Format)
	if !errors.As(err, &limit) || !limit.Fixed {
		t.Error(err)
	}
	if _, _, err := format.Read(context.Background(), strings.NewReader(head2+nodes.String()+elements2), scenes.ReadOptions{MaxMemory: 300_000}, Format); !errors.As(err, &limit) {
		t.Error(err)
	}
}

func whole(t *testing.T) []string {
	return append(append([]string{cases[0].File, cases[1].File, cases[2].File}, packed(t, binary.LittleEndian)...), packed(t, binary.BigEndian)...)
}

func TestMutants(t *testing.T) { meshtest.MutantsOf(t, Format, whole(t)...) }

func FuzzRead(f *testing.F) {
	for i, c := range cases {
		f.Add([]byte(c.File), uint64(i), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, file, piece)
		meshtest.FuzzMutants(t, Format, file, seed, piece)
	})
}
