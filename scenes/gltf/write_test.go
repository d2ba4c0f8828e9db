package gltf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// TestWrite checks the bytes of a file: chunks, nodes, accessors and numbers.
func TestWrite(t *testing.T) {
	m := &scenes.Mesh{Block: scenes.MakeBlock(3), Origin: [3]float64{100, 200, 300}}
	nan := float32(math.NaN())
	m.Set(0, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}})
	m.Set(1, [3][3]float32{{0, 0, 0}, {1, 2, 0}, {0, 2, 3}})
	m.Set(2, [3][3]float32{{0, 0, nan}, {1, 0, 0}, {1, 2, 0}})
	m.Parts = []scenes.Part{{Name: "second", First: 1, Count: 1}}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	word := func(at int) int { return int(binary.LittleEndian.Uint32(file[at:])) }
	if string(file[:4]) != "glTF" || word(4) != 2 || word(8) != len(file) || string(file[16:20]) != "JSON" {
		t.Fatalf("header % x", file[:20])
	}
	var d document
	if err := json.Unmarshal(file[20:20+word(12)], &d); err != nil {
		t.Fatal(err)
	}
	// The specification requires views to name their buffer, and some readers need this.
	if views := bytes.Count(file[20:20+word(12)], []byte(`"buffer":0`)); views != len(d.BufferViews) {
		t.Errorf("%d of %d views name their buffer", views, len(d.BufferViews))
	}
	at := 20 + word(12)
	if string(file[at+4:at+8]) != "BIN\x00" || at+8+word(at) != len(file) || d.Buffers[0].ByteLength != word(at) {
		t.Fatalf("%d bytes, chunk of %d at %d", len(file), word(at), at)
	}
	if root := d.Nodes[0]; len(root.Children) != 2 || root.Matrix[12] != 100 || root.Matrix[13] != 300 || root.Matrix[14] != -200 || root.Matrix[6] != -1 || root.Matrix[9] != 1 {
		t.Errorf("root %+v", root)
	}
	if d.Nodes[1].Name != "" || d.Nodes[2].Name != "second" {
		t.Errorf("nodes %+v", d.Nodes)
	}
	positions := d.Accessors[d.Meshes[0].Primitives[0].Attributes["POSITION"]]
	if positions.Count != 5 || positions.Max[2] != 3 || positions.Min[0] != 0 {
		t.Errorf("positions %+v", positions)
	}
	// The corners of both triangles, by their indices. The third triangle is left out.
	var got [][3]float32
	for _, mesh := range d.Meshes {
		a := d.Accessors[mesh.Primitives[0].Indices]
		for i := range a.Count {
			v := int(binary.LittleEndian.Uint16(file[at+8+d.BufferViews[a.BufferView].ByteOffset+2*i:]))
			var p [3]float32
			for c := range p {
				p[c] = math.Float32frombits(uint32(word(at + 8 + d.BufferViews[positions.BufferView].ByteOffset + 12*v + 4*c)))
			}
			got = append(got, p)
		}
	}
	want := [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 0, 0}, {1, 2, 0}, {0, 2, 3}}
	if len(got) != len(want) {
		t.Fatalf("corners %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("corner %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestMaterialRuns writes a mesh whose material changes with every triangle. The triangles must be sorted by material.
func TestMaterialRuns(t *testing.T) {
	const n = 3 * maxRuns
	m := &scenes.Mesh{Block: scenes.MakeBlock(n), Attributes: &scenes.Attributes{Vertices: n}}
	a := m.Attributes
	a.Materials = make([]scenes.Material, 2)
	for t := range n {
		a.MaterialOf = append(a.MaterialOf, int32(t%3)-1)
		for k := range a.Index {
			a.Index[k] = append(a.Index[k], uint32(t))
		}
	}
	e := newEncoder(m)
	e.writeNodes()
	if len(e.Meshes) != 1 || len(e.Meshes[0].Primitives) != 3 || *e.Meshes[0].Primitives[2].Material != 1 || e.Meshes[0].Primitives[0].Material != nil {
		t.Errorf("meshes %+v", e.Meshes)
	}
}

// TestWriteMetres checks that the unit of a mesh is converted to metres, for every up axis.
func TestWriteMetres(t *testing.T) {
	for _, up := range []scenes.Axis{scenes.PlusY, scenes.PlusZ} {
		for unit, scale := range map[float64]float32{0: 1, 1: 1, 0.5: 0.5, 1000: 1000} {
			m := &scenes.Mesh{Block: scenes.MakeBlock(1), Unit: unit, Up: up}
			m.Set(0, [3][3]float32{{2, 0, 0}, {0, 4, 0}, {0, 0, 8}})
			var b bytes.Buffer
			if err := Write(&b, m); err != nil {
				t.Fatal(err)
			}
			got, _, err := format.Read(context.Background(), &b, scenes.ReadOptions{}, Format)
			if err != nil {
				t.Fatal(err)
			}
			m.Stand(up, scenes.PlusY)
			want := m.Triangle(0)
			for k := range want {
				for axis := range want[k] {
					want[k][axis] *= scale
				}
			}
			if got.Triangle(0) != want || got.Unit != 1 {
				t.Errorf("%v up, unit %v: %v, want %v", up, unit, got.Triangle(0), want)
			}
		}
	}
}
