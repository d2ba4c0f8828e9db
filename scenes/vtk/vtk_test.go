package vtk

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

const head = "# vtk DataFile Version 3.0\ntitle\nASCII\n"

// square is the start of a legacy file of polygons, with the corners of a square.
const square = head + "DATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0\n1 1 0 0 1 0\n"

// polyData returns an XML file whose piece has three points and a triangle. The parameter says holds the attributes of
// the piece, which may claim other numbers.
func polyData(says string) string {
	array := func(name, kind, numbers string) string {
		return `<DataArray type="` + kind + `" Name="` + name + `" format="ascii">` + numbers + `</DataArray>`
	}
	return `<VTKFile type="PolyData"><PolyData><Piece ` + says + `><Points>` + array("Points", "Float32", "0 0 0 1 0 0 0 1 0") + `</Points><Polys>` +
		array("connectivity", "Int32", "0 1 2") + array("offsets", "Int32", "3") + `</Polys></Piece></PolyData></VTKFile>`
}

var cases = []meshtest.Case{
	{Name: "numbers of a piece", File: polyData(`NumberOfPoints="3" NumberOfPolys="1" NumberOfVerts="0"`), Triangles: 1},
	{Name: "a piece that says no numbers", File: polyData(``), Triangles: 1},
	{Name: "two billion points", File: polyData(`NumberOfPoints="2000000000" NumberOfPolys="1"`), Triangles: 1, Warning: `the piece claims "2000000000" points and has 3`},
	{Name: "a number that is none", File: polyData(`NumberOfPoints="-3" NumberOfPolys="1"`), Triangles: 1, Warning: `the piece claims "-3" points and has 3`},
	{Name: "two billion polygons", File: polyData(`NumberOfPoints="3" NumberOfPolys="2000000000"`), Triangles: 1, Warning: `the piece claims "2000000000" polys and has 1`},
	{Name: "two billion cells", File: strings.NewReplacer("PolyData", "UnstructuredGrid", "<Polys>", `<Cells><DataArray type="UInt8" Name="types">5</DataArray>`, "</Polys>", "</Cells>").Replace(polyData(`NumberOfPoints="3" NumberOfCells="2000000000"`)), Triangles: 1, Warning: `the piece claims "2000000000" cells and has 1`},
	{Name: "two billion points in a legacy file", File: strings.Replace(square, "POINTS 4", "POINTS 2000000000", 1), Damage: `"POINTS": the file ends early`},
	{Name: "polygon", File: square + "POLYGONS 1 5\n4 0 1 2 3\n", Triangles: 2},
	{Name: "strip", File: square + "TRIANGLE_STRIPS 1 5\n4 0 1 3 2\n", Triangles: 2},
	{Name: "data on the line of a section", File: strings.Replace(square, "float\n", "float ", 1) + "POLYGONS  2 8 3 0 1\n2 3 0 2 3\n", Triangles: 2},
	{Name: "cells on the line of their types", File: strings.Replace(square, "POLYDATA", "UNSTRUCTURED_GRID", 1) + "CELLS 1 5 4\n0 1 2 3\nCELL_TYPES 1 9\n", Triangles: 2},
	{Name: "offsets", File: square + "POLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 0 2 3\n", Triangles: 2},
	{Name: "verts and lines before polygons", File: square + "VERTICES 1 2\n1 0\nLINES 1 3\n2 0 1\nPOLYGONS 1 4\n3 0 1 2\nCELL_DATA 3\nSCALARS a int\nLOOKUP_TABLE default\n1 2 3\n", Triangles: 1},
	{Name: "metadata and fields", File: square + "METADATA\nINFORMATION 1\nNAME x LOCATION y\nDATA 1 2\n\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 4\nFIELD FieldData 2\na%20b 1 4 float\n1 2 3 4\nMETADATA\nx\n\ns 1 4 string\na\nb\nc\nd\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\n", Triangles: 1},
	{Name: "no such point", File: square + "POLYGONS 2 8\n3 0 1 2\n3 0 1 4\n", Triangles: 1, Warning: "cell 1: left out: point 4 of 4, counted from 0"},
	{Name: "ends early", File: square + "POLYGONS 2 8\n3 0 1 2\n3 0 1", Triangles: 1, Warning: `"POLYGONS": the file ends early`},
	{Name: "word in numbers", File: square + "POLYGONS 2 8\n3 0 1 2\n3 0 x 3\n", Triangles: 1, Warning: `line 11: "POLYGONS": "x" where a number should be`},
	{Name: "not a number", File: strings.Replace(square, "1 1 0", "nan 1 0", 1) + "POLYGONS 2 8\n3 0 1 2\n3 0 1 3\n", Triangles: 2, Bad: 1, Warning: "triangle 0: the triangle has a NaN"},
	{Name: "an array that is short", File: square + "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 4\nSCALARS a float\nLOOKUP_TABLE default\n1 2", Triangles: 1, Warning: `array "a": it has numbers for 2 of 4`},
	{Name: "unknown section", File: square + "POLYGONS 1 4\n3 0 1 2\nSPLINES 3\n", Triangles: 1, Warning: `"SPLINES": an unknown section`},
	{Name: "lines alone", File: square + "LINES 1 3\n2 0 1\n", Triangles: 8},
	{Name: "table", File: head + "DATASET TABLE\nROW_DATA 1\n", Damage: "data sets of the kind TABLE are not drawn"},
	{Name: "no data set", File: head, Damage: "the file has no data set"},
	{Name: "points of a grid", File: head + "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 3 3\nORIGIN 0 0 0\nSPACING 1 1 1\n", Triangles: 48},
	{Name: "a flat grid", File: head + "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 1 3\nORIGIN 0 0 0\nSPACING 1 1 1\n", Triangles: 8},
	{Name: "grid too large", File: head + "DATASET STRUCTURED_POINTS\nDIMENSIONS 99999 99999 99999\n", Damage: "dimensions"},
	{Name: "grid without points", File: head + "DATASET STRUCTURED_GRID\nDIMENSIONS 9 9 9\nPOINTS 1 float\n0 0 0\n", Damage: "1 points of a grid of 729"},
	{Name: "rectilinear", File: head + "DATASET RECTILINEAR_GRID\nDIMENSIONS 2 2 2\nX_COORDINATES 2 float\n0 1\nY_COORDINATES 2 float\n0 2\nZ_COORDINATES 2 double\n0 3\n", Triangles: 12},
	{Name: "unknown type of cells", File: head + "DATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nCELLS 2 8\n3 0 1 2\n3 0 1 2\nCELL_TYPES 2\n5 200\n", Triangles: 1, Warning: "1 cell is of the unknown type 200 not drawn"},
	{Name: "unknown type of an attribute", File: head + "DATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS a thing\nPOINTS\n", Triangles: 1, Warning: `"SCALARS": numbers of the unknown type "thing"`},
	{Name: "unknown type of points", File: head + "DATASET POLYDATA\nPOINTS 3 thing\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\n", Damage: `numbers of the unknown type "thing"`},
	{Name: "too few corners", File: head + "DATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 8\n3 0 1 2\n3 0 1 2\nCELL_TYPES 2\n5 10\n", Triangles: 1, Warning: "cell 1: left out: 3 corners of a cell of type 10"},
	{Name: "polyhedron", File: head + "DATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 18\n17 4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2\nCELL_TYPES 1\n42\n", Triangles: 4},
	{Name: "broken polyhedron", File: head + "DATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 22\n17 9 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2\n3 0 1 2\nCELL_TYPES 2\n42 42\n", Damage: "its faces are not whole"},
	{Name: "XML without a type", File: `<VTKFile></VTKFile>`, Damage: "VTKFile without a type"},
	{Name: "XML of tables", File: `<VTKFile type="Table"></VTKFile>`, Damage: "VTK data of the type Table are not drawn"},
	{Name: "LZMA", File: `<VTKFile type="PolyData" compressor="vtkLZMADataCompressor"></VTKFile>`, Damage: "compressed by vtkLZMADataCompressor, and only zlib and LZ4 are read"},
	{Name: "no points", File: `<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="3"></Piece></PolyData></VTKFile>`, Damage: "the piece has no points"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

func read(t *testing.T, file string, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	m, rep, err := format.Read(context.Background(), strings.NewReader(file), opts, Format)
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Attributes(t, m)
	return m, rep
}

// TestXML reads the same grid from XML files in all supported encodings.
func TestXML(t *testing.T) {
	want, _ := read(t, tetra(t), scenes.ReadOptions{})
	if want.Len() != 6 {
		t.Fatalf("%d triangles", want.Len())
	}
	meshtest.Watertight(t, want)
	for _, name := range []string{"t", "U", "U:x", "U:y", "U:z", "p", "cell"} {
		if want.Field(name) == nil {
			t.Errorf("no field %s", name)
		}
	}
	for _, mode := range []string{"ascii", "binary", "raw", "coded"} {
		for _, compressor := range []string{"", zlibName, lz4Name} {
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				for _, long := range []bool{false, true} {
					for _, block := range []int{16, 1 << 15} {
						o := options{mode, compressor, order, long, block}
						got, rep := read(t, (&writer{t: t, options: o}).tetras(), scenes.ReadOptions{Strict: true})
						meshtest.Same(t, got, want)
						for i, f := range want.Attributes.Fields {
							if g := got.Attributes.Fields[i]; g.Name != f.Name || !slices.Equal(g.Values, f.Values) {
								t.Errorf("%+v: field %v, want %v", o, g, f)
							}
						}
						if rep.Format != FormatXML {
							t.Errorf("%+v: %+v", o, rep)
						}
					}
				}
			}
		}
	}
}

// TestFields checks that each point and triangle that is drawn has the values of its fields.
func TestFields(t *testing.T) {
	m, _ := read(t, tetra(t), scenes.ReadOptions{})
	for i := range m.Len() {
		cell := m.Field("cell").Values[i]
		if p := m.Field("p").Values[i]; p != [2]float32{-1, 7}[int(cell)] {
			t.Errorf("triangle %d of cell %v: %v", i, cell, p)
		}
		for k, c := range m.Triangle(i) {
			v := m.Attributes.Index[k][i]
			want := map[[3]float32][2]float32{{0, 0, 0}: {0, 5}, {1, 0, 0}: {1, 1}, {0, 1, 0}: {2, 2}, {0, 0, 1}: {3, 3}, {1, 1, 1}: {4, 4}}[c]
			if got := [2]float32{m.Field("t").Values[v], m.Field("U").Values[v]}; got != want {
				t.Errorf("%v: %v, want %v", c, got, want)
			}
		}
	}
	if m, _ := read(t, tetra(t), scenes.ReadOptions{Flat: true}); m.Attributes != nil || m.Len() != 6 {
		t.Errorf("flat: %+v", m.Attributes)
	}
}

// TestLegacyBinary reads big-endian numbers from legacy files, with lists of cells in the older form and in that of
// version 5.
func TestLegacyBinary(t *testing.T) {
	start := strings.Replace(head, "ASCII", "BINARY", 1) + "DATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n=f 0 0 0 1 0 0 0 1 0 0 0 1\n"
	end := "CELL_TYPES 1\n=i 10\nPOINT_DATA 4\nVECTORS U float\n=f 1 0 0 2 0 0 3 0 0 4 0 0\n"
	for _, cells := range []string{"CELLS 1 5\n=i 4 0 1 2 3\n", "CELLS 2 4\nOFFSETS vtktypeint64\n=l 0 4\nCONNECTIVITY vtktypeint64\n=l 0 1 2 3\n"} {
		m, rep := read(t, legacyBinary(t, start+cells+end), scenes.ReadOptions{Strict: true})
		if m.Len() != 4 || rep.Format != FormatLegacy || !slices.Equal(slices.Sorted(slices.Values(m.Field("U:x").Values)), []float32{1, 2, 3, 4}) {
			t.Errorf("%d triangles, %+v, %v", m.Len(), rep, m.Field("U:x"))
		}
		meshtest.Watertight(t, m)
	}
}

// TestDataOnLines reads texts whose data starts on the first line of a section and continues on the next line. The mesh
// must be the same as if the data started on a line of its own.
func TestDataOnLines(t *testing.T) {
	fours := " 1 2\n3 4\n"
	attributes := "POINT_DATA 4~SCALARS s float 1~LOOKUP_TABLE default|" + fours + "SCALARS t float~|" + fours + "VECTORS v double|" + fours + fours + fours +
		"NORMALS n float|" + fours + fours + fours + "TENSORS t9 float|" + strings.Repeat(fours, 9) + "TENSORS6 t6 float|" + strings.Repeat(fours, 6) +
		"GLOBAL_IDS g int|" + fours + "PEDIGREE_IDS p int|" + fours + "EDGE_FLAGS e int|" + fours + "TEXTURE_COORDINATES x 2 float|" + fours + fours +
		"COLOR_SCALARS c 3| 1 0\n0 1 0 0 1 0 0 1 0 0\nLOOKUP_TABLE table 1|" + fours + "FIELD f 2~a 1 4 float|" + fours + "b 2 4 int|" + fours + fours
	for name, c := range map[string]struct {
		file      string
		triangles int
	}{
		"offsets":     {square + "POLYGONS 3 6|OFFSETS vtktypeint64| 0 3\n6\nCONNECTIVITY vtktypeint64| 0 1 2\n0 2 3\n", 2},
		"coordinates": {head + "DATASET RECTILINEAR_GRID\nDIMENSIONS 2 2 1\nX_COORDINATES 2 float| 0\n1\nY_COORDINATES 2 float| 0\n2\nZ_COORDINATES 1 double| 0\n", 2},
	} {
		file := c.file + strings.ReplaceAll(attributes, "~", "\n")
		want, _ := read(t, strings.ReplaceAll(file, "|", "\n"), scenes.ReadOptions{Strict: true})
		got, _ := read(t, strings.ReplaceAll(file, "|", " "), scenes.ReadOptions{Strict: true})
		if got.Len() != c.triangles || want.Len() != c.triangles || len(want.Attributes.Fields) < 12 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d and %d triangles, %d fields and %d", name, got.Len(), want.Len(), len(got.Attributes.Fields), len(want.Attributes.Fields))
		}
	}
}

// TestScalarsOnLines checks that line ends before the data of SCALARS and of arrays of fields do not change the mesh.
func TestScalarsOnLines(t *testing.T) {
	of := square + "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 4\n"
	want, _ := read(t, of+"SCALARS s float 1\nLOOKUP_TABLE default\n1 2 3 4\n", scenes.ReadOptions{Strict: true})
	for _, section := range []string{
		"SCALARS s float 1 LOOKUP_TABLE default 1 2\n3 4\n",
		"SCALARS s float 1 LOOKUP_TABLE default\n1 2 3 4\n",
		"SCALARS s float LOOKUP_TABLE default\n1 2 3 4\n",
		"SCALARS s float\n1\nLOOKUP_TABLE\ndefault 1 2 3 4",
		"SCALARS s float 1\n1 2 3 4\n",
		"SCALARS s float\n1 2 3 4\n",
		"SCALARS s float 1 in metres\nLOOKUP_TABLE default\n1 2 3 4\n",
		"SCALARS s\nfloat 1\nLOOKUP_TABLE default\n1 2 3 4\n",
		"SCALARS\ns float\nLOOKUP_TABLE default\n1 2 3 4\n",
		"SCALARS\ns\nfloat\n\n1\nLOOKUP_TABLE default 1 2 3 4\n",
		"FIELD\nf\n1\ns\n1\n4\nfloat\n1 2 3 4\n",
		"FIELD f 1\ns 1\n4 float 1 2 3 4\n",
		"FIELD f 2\nt 1 2\nstring\nPOINTS 3 float\nb\ns 1 4 float\n1 2 3 4\n",
		"FIELD f 1 s 1 4 float 1 2 3 4\n",
		"FIELD f 1 s 1 4 float\n1 2 3 4\n",
	} {
		if got, _ := read(t, of+section, scenes.ReadOptions{Strict: true}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: the mesh differs", section)
		}
	}
	packed := strings.Replace(head, "ASCII", "BINARY", 1) + "DATASET POLYDATA\nPOINTS 3 float\n=f 0 0 0 1 0 0 1 1 0\nPOLYGONS 1 4\n=i 3 0 1 2\nPOINT_DATA 3\nSCALARS s float"
	numbers := " LOOKUP_TABLE default\n=f 1 2 3\n"
	want, _ = read(t, legacyBinary(t, packed+" 1\n"+numbers[1:]), scenes.ReadOptions{Strict: true})
	for _, components := range []string{"", " 1", "\n1\n", "\n"} {
		for _, file := range []string{packed, strings.Replace(packed, "s float", "s\nfloat", 1), strings.NewReplacer("POINTS 3 float", "POINTS 3\nfloat", "1 4\n", "1\n4 \n").Replace(packed)} {
			got, _ := read(t, legacyBinary(t, file+components+numbers), scenes.ReadOptions{Strict: true})
			if len(want.Attributes.Fields) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("binary, %q: the mesh differs", components)
			}
		}
	}
}

// TestHeadsOnLines checks that line ends within the first lines of sections do not change the mesh, and that the name
// of a section is not read as a missing word.
func TestHeadsOnLines(t *testing.T) {
	const five = "# vtk DataFile Version 5.1\n\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n"
	const grid = head + "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 1\nORIGIN 1 2 3\nSPACING 1 1 1\nPOINT_DATA 4\nSCALARS s float 1\nLOOKUP_TABLE default\n1 2 3 4\n"
	fields := "VECTORS v float\n1 2 3 1 2 3 1 2 3 1 2 3\nTEXTURE_COORDINATES t 1 float\n1 2 3 4\nCOLOR_SCALARS c 3\n1 0 0 1 0 0 1 0 0 1 0 0\nGLOBAL_IDS i int\n1 2 3 4\n"
	for _, file := range []string{square + "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 4\n" + fields, five, grid} {
		want, _ := read(t, file, scenes.ReadOptions{Strict: true})
		begin := len(head)
		for at := begin; at < len(file); at++ {
			if file[at] != ' ' || strings.HasPrefix(file[at:], " vtktypeint64") && file[at-1] == '3' {
				continue
			}
			got, rep := read(t, file[:at]+"\n"+file[at+1:], scenes.ReadOptions{})
			if !reflect.DeepEqual(got, want) || len(rep.Warnings) > 0 {
				t.Errorf("a line that ends behind %q: the mesh differs: %v", file[max(0, at-20):at], rep.Warnings)
			}
		}
	}
	m, rep := read(t, square+"POINT_DATA 4\nCOLOR_SCALARS c\nPOLYGONS 1 4\n3 0 1 2\n", scenes.ReadOptions{})
	if m.Len() != 1 || len(rep.Warnings) != 1 {
		t.Errorf("a missing number: %d triangles, %v", m.Len(), rep.Warnings)
	}
}

// TestColors reads the colours of points and of cells.
func TestColors(t *testing.T) {
	m, _ := read(t, square+"POLYGONS 2 8\n3 0 1 2\n3 0 2 3\nCELL_DATA 2\nCOLOR_SCALARS c 3\n1 0 0 0 0 1\n", scenes.ReadOptions{})
	if !slices.Equal(m.Colors, []uint32{0xff0000, 0x0000ff}) {
		t.Errorf("%x", m.Colors)
	}
	m, _ = read(t, square+"POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 4\nSCALARS c unsigned_char 4\nLOOKUP_TABLE default\n255 0 0 9 255 0 0 9 255 0 0 9 0 0 0 0\n", scenes.ReadOptions{})
	if !slices.Equal(m.Colors, []uint32{0xff0000}) {
		t.Errorf("%x", m.Colors)
	}
}

// TestGhosts checks that cells that another piece draws are left out.
func TestGhosts(t *testing.T) {
	m, _ := read(t, square+"POLYGONS 2 8\n3 0 1 2\n3 0 2 3\nCELL_DATA 2\nSCALARS vtkGhostType unsigned_char\nLOOKUP_TABLE default\n0 1\n", scenes.ReadOptions{})
	if m.Len() != 1 || m.Field("vtkGhostType") != nil {
		t.Errorf("%d triangles", m.Len())
	}
}

// TestGhostKinds distinguishes cells of other pieces, which hide the faces of their neighbours, from hidden cells,
// around which walls are drawn.
func TestGhostKinds(t *testing.T) {
	grid := "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nORIGIN 0 0 0\nSPACING 1 1 1\nCELL_DATA 2\nSCALARS %s float\nLOOKUP_TABLE default\n0 %s\n"
	for _, c := range []struct {
		name, value string
		triangles   int
	}{
		{"vtkGhostType", "0", 20}, {"vtkGhostType", "1", 10}, {"vtkGhostType", "8", 10}, {"vtkGhostType", "32", 12},
		{"vtkGhostType", "33", 12}, {"vtkGhostType", "2", 20}, {"vtkGhostType", "-1", 20}, {"vtkGhostType", "257", 20},
		{"vtkGhostType", "nan", 20}, {"vtkGhostLevels", "2", 10}, {"vtkGhostLevels", "32", 10}, {"other", "1", 20},
	} {
		if m, _ := read(t, fmt.Sprintf(grid, c.name, c.value), scenes.ReadOptions{}); m.Len() != c.triangles {
			t.Errorf("%s %s: %d triangles, want %d", c.name, c.value, m.Len(), c.triangles)
		}
	}
}

// TestBeside reads pieces, blocks and the first step of a series from files beside the mesh. Files outside its folder
// must not be read.
func TestBeside(t *testing.T) {
	one := tetra(t)
	beside := fstest.MapFS{"a.vtu": {Data: []byte(one)}, "sub/b.vtu": {Data: []byte(one)},
		"p.pvtu": {Data: []byte(`<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid><Piece Source="a.vtu"/><Piece Source="sub/b.vtu"/></PUnstructuredGrid></VTKFile>`)},
		"x.pvd":  {Data: []byte(`<VTKFile type="Collection"><Collection><DataSet file="x.pvd"/></Collection></VTKFile>`)}}
	for set, want := range map[string]int{
		`<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid><Piece Source="a.vtu"/><Piece Source="sub/b.vtu"/></PUnstructuredGrid></VTKFile>`:                                               12,
		`<VTKFile type="Collection"><Collection><DataSet timestep="0" file="a.vtu"/><DataSet timestep="0" file="sub/b.vtu"/><DataSet timestep="1" file="a.vtu"/></Collection></VTKFile>`:      12,
		`<VTKFile type="vtkMultiBlockDataSet"><vtkMultiBlockDataSet><Block index="0"><DataSet file="a.vtu"/><Block><DataSet file="p.pvtu"/></Block></Block></vtkMultiBlockDataSet></VTKFile>`: 18,
	} {
		m, rep := read(t, set, scenes.ReadOptions{Beside: beside})
		if m.Len() != want || len(rep.Warnings) > 0 || m.Parts[0].Name != "a.vtu" {
			t.Errorf("%s: %d triangles, %v, %v", set, m.Len(), rep.Warnings, m.Parts)
		}
	}
	for _, name := range []string{"../a.vtu", "/etc/passwd", "http://a/b.vtu", "none.vtu", "x.pvd"} {
		set := fmt.Sprintf(`<VTKFile type="Collection"><Collection><DataSet file="%s"/></Collection></VTKFile>`, name)
		_, _, err := format.Read(context.Background(), strings.NewReader(set), scenes.ReadOptions{Beside: beside}, Format)
		var damage *scenes.DamageError
		if !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSteps checks the times and files of a series.
func TestSteps(t *testing.T) {
	steps, err := Steps([]byte(`<VTKFile type="Collection"><Collection><DataSet timestep="0.5" file="a"/><DataSet timestep="0.5" part="1" file="b"/><DataSet timestep="2" file="c"/></Collection></VTKFile>`))
	if err != nil || len(steps) != 2 || steps[0].Time != 0.5 || len(steps[0].Files) != 2 || steps[1].Files[0] != "c" {
		t.Errorf("%v, %v", steps, err)
	}
	if steps, err := Steps([]byte(tetra(t))); steps != nil || err != nil {
		t.Errorf("%v, %v", steps, err)
	}
}

// TestBase64 decodes base64 in pieces, with white space at any position and with padding in the middle.
func TestBase64(t *testing.T) {
	data := []byte("any carnal pleasure, and some more of it\x00\xff")
	for n := range data {
		for at := range 9 {
			part, rest := base64.StdEncoding.EncodeToString(data[:n]), base64.StdEncoding.EncodeToString(data[n:])
			src := part + rest
			at = min(at, len(src))
			f := feed{src: []byte(" " + src[:at] + "\n\t" + src[at:] + "\n"), isBase64: true}
			if got := f.firstBytes(n); string(got) != string(data[:n]) {
				t.Fatalf("%q: %q, want %q", f.src, got, data[:n])
			}
			if got := f.firstBytes(len(data) + 7); string(got) != string(data) {
				t.Fatalf("%q: %q, want %q", f.src, got, data)
			}
		}
	}
}

// TestDamagedBlocks checks that arrays are refused if their headers claim more data than their bytes can hold.
func TestDamagedBlocks(t *testing.T) {
	w := &writer{t: t, options: options{"raw", zlibName, binary.LittleEndian, false, 1 << 15}}
	file := w.tetras()
	at := strings.Index(file, "\n_") + 2
	for _, c := range []struct {
		at   int
		with uint32
		want string
	}{{0, 1 << 30, "its header has 1073741824 blocks, more than its bytes"}, {8, 1 << 31, "claims to hold 2147483648"}, {12, 1 << 30, "claims to hold"}} {
		b := []byte(file)
		binary.LittleEndian.PutUint32(b[at+c.at:], c.with)
		m, rep, err := format.Read(context.Background(), strings.NewReader(string(b)), scenes.ReadOptions{}, Format)
		if err != nil || m.Len() != 6 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "array \"t\": ") {
			t.Errorf("%+v: %v, %+v", c, err, rep)
		}
	}
}

// TestMemory checks that files that exceed a limit are refused.
func TestMemory(t *testing.T) {
	var limit *scenes.LimitError
	big := head + "DATASET STRUCTURED_POINTS\nDIMENSIONS 30000 30000 30000\nORIGIN 0 0 0\nSPACING 1 1 1\n"
	if _, _, err := format.Read(context.Background(), strings.NewReader(big), scenes.ReadOptions{}, Format); err == nil {
		t.Error("a grid of 10^13 points was drawn")
	}
	big = strings.ReplaceAll(big, "30000 30000 30000", "1600 1600 1600")
	if _, _, err := format.Read(context.Background(), strings.NewReader(big), scenes.ReadOptions{}, Format); !errors.As(err, &limit) || !limit.Fixed {
		t.Error(err)
	}
	if _, _, err := format.Read(context.Background(), strings.NewReader(tetra(t)), scenes.ReadOptions{MaxMemory: 3000}, Format); !errors.As(err, &limit) {
		t.Error(err)
	}
}
