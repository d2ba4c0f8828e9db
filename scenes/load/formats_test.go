package load_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A sheet is a wavy grid of vertices and its triangles, which every format can store.
type sheet struct {
	points [][3]float32
	faces  [][3]int
}

// newSheet returns a grid with the given numbers of squares across and down.
func newSheet(across, down int) *sheet {
	s := new(sheet)
	for y := range down + 1 {
		for x := range across + 1 {
			u, v := float64(x)/float64(across), float64(y)/float64(down)
			s.points = append(s.points, [3]float32{float32(u), float32(v), float32(0.1 * math.Sin(9*u) * math.Cos(7*v))})
		}
	}
	for y := range down {
		for x := range across {
			a := y*(across+1) + x
			b := a + across + 1
			s.faces = append(s.faces, [3]int{a, a + 1, b + 1}, [3]int{a, b + 1, b})
		}
	}
	return s
}

// A foreign writes a sheet in a format that can be read but not written. In a format of point clouds it writes only the
// points.
type foreign struct {
	name  string
	write func(w *bufio.Writer, s *sheet)
	cloud bool
}

var foreigns = []foreign{
	{name: "vtk", write: writeVTK}, {name: "vtk-ascii", write: writeVTKText}, {name: "vtu", write: writeVTU},
	{name: "msh", write: writeMSH}, {name: "msh-ascii", write: writeMSHText}, {name: "dae", write: writeDAE},
	{name: "fbx-ascii", write: writeFBXText}, {name: "3ds", write: write3DS}, {name: "amf", write: writeAMF}, {name: "dxf", write: writeDXF},
	{name: "x3d", write: writeX3D}, {name: "pcd", write: writePCD, cloud: true}, {name: "las", write: writeLAS, cloud: true},
	{name: "xyz", write: writeXYZ, cloud: true},
}

// numbers writes the points of a sheet. row is the format of a row.
func (s *sheet) numbers(w io.Writer, row string) {
	for _, p := range s.points {
		fmt.Fprintf(w, row, p[0], p[1], p[2])
	}
}

func (s *sheet) corners(w io.Writer, row string) {
	for _, f := range s.faces {
		fmt.Fprintf(w, row, f[0], f[1], f[2])
	}
}

// The function put writes numbers in binary.
func put(w io.Writer, order binary.ByteOrder, numbers ...any) {
	for _, n := range numbers {
		if err := binary.Write(w, order, n); err != nil {
			panic(err)
		}
	}
}

// int32s returns the corners of all faces. The numbers `before` precede each face.
func (s *sheet) int32s(before ...int32) (all []int32) {
	for _, f := range s.faces {
		all = append(append(all, before...), int32(f[0]), int32(f[1]), int32(f[2]))
	}
	return all
}

func writeVTK(w *bufio.Writer, s *sheet) {
	fmt.Fprintf(w, "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS %d float\n", len(s.points))
	put(w, binary.BigEndian, s.points)
	fmt.Fprintf(w, "\nPOLYGONS %d %d\n", len(s.faces), 4*len(s.faces))
	put(w, binary.BigEndian, s.int32s(3))
}

func writeVTKText(w *bufio.Writer, s *sheet) {
	fmt.Fprintf(w, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS %d float\n", len(s.points))
	s.numbers(w, "%g %g %g\n")
	fmt.Fprintf(w, "POLYGONS %d %d\n", len(s.faces), 4*len(s.faces))
	s.corners(w, "3 %d %d %d\n")
}

func writeVTU(w *bufio.Writer, s *sheet) {
	n := len(s.faces)
	ends, types := make([]int32, n), bytes.Repeat([]byte{5}, n)
	for i := range ends {
		ends[i] = int32(3*i + 3)
	}
	fmt.Fprintf(w, `<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32"><UnstructuredGrid><Piece NumberOfPoints="%d" NumberOfCells="%d">`, len(s.points), n)
	at := 0
	array := func(kind, name, more string, size int) {
		fmt.Fprintf(w, `<DataArray type=%q Name=%q%s format="appended" offset="%d"/>`, kind, name, more, at)
		at += 4 + size
	}
	w.WriteString("<Points>")
	array("Float32", "Points", ` NumberOfComponents="3"`, 12*len(s.points))
	w.WriteString("</Points><Cells>")
	array("Int32", "connectivity", "", 12*n)
	array("Int32", "offsets", "", 4*n)
	array("UInt8", "types", "", n)
	w.WriteString(`</Cells></Piece></UnstructuredGrid><AppendedData encoding="raw">_`)
	put(w, binary.LittleEndian, uint32(12*len(s.points)), s.points, uint32(12*n), s.int32s(), uint32(4*n), ends, uint32(n), types)
	w.WriteString("</AppendedData></VTKFile>\n")
}

func writeMSH(w *bufio.Writer, s *sheet) {
	w.WriteString("$MeshFormat\n2.2 1 8\n")
	put(w, binary.LittleEndian, int32(1))
	fmt.Fprintf(w, "\n$EndMeshFormat\n$Nodes\n%d\n", len(s.points))
	for i, p := range s.points {
		put(w, binary.LittleEndian, int32(i+1), [3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	fmt.Fprintf(w, "\n$EndNodes\n$Elements\n%d\n", len(s.faces))
	put(w, binary.LittleEndian, [3]int32{2, int32(len(s.faces)), 2})
	for i, f := range s.faces {
		put(w, binary.LittleEndian, [6]int32{int32(i + 1), 1, 1, int32(f[0] + 1), int32(f[1] + 1), int32(f[2] + 1)})
	}
	w.WriteString("\n$EndElements\n")
}

func writeMSHText(w *bufio.Writer, s *sheet) {
	fmt.Fprintf(w, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", len(s.points))
	for i, p := range s.points {
		fmt.Fprintf(w, "%d %g %g %g\n", i+1, p[0], p[1], p[2])
	}
	fmt.Fprintf(w, "$EndNodes\n$Elements\n%d\n", len(s.faces))
	for i, f := range s.faces {
		fmt.Fprintf(w, "%d 2 2 1 1 %d %d %d\n", i+1, f[0]+1, f[1]+1, f[2]+1)
	}
	w.WriteString("$EndElements\n")
}

func writeDAE(w *bufio.Writer, s *sheet) {
	n := len(s.points)
	fmt.Fprintf(w, `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="%d">`, 3*n)
	s.numbers(w, "%g %g %g ")
	fmt.Fprintf(w, `</float_array><technique_common><accessor source="#a" count="%d" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="%d"><input semantic="VERTEX" source="#v" offset="0"/><p>`, n, len(s.faces))
	s.corners(w, "%d %d %d ")
	w.WriteString(`</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`)
}

func writeFBXText(w *bufio.Writer, s *sheet) {
	fmt.Fprintf(w, "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {\n\tGeometry: 1, \"Geometry::\", \"Mesh\" {\n\t\tVertices: *%d {\n\t\t\ta: 0", 3*len(s.points))
	first := true
	for _, p := range s.points {
		if first {
			first = false
			fmt.Fprintf(w, ",%g,%g", p[1], p[2])
			continue
		}
		fmt.Fprintf(w, ",%g,%g,%g", p[0], p[1], p[2])
	}
	fmt.Fprintf(w, "\n\t\t}\n\t\tPolygonVertexIndex: *%d {\n\t\t\ta: %d,%d,%d", 3*len(s.faces), s.faces[0][0], s.faces[0][1], -s.faces[0][2]-1)
	for _, f := range s.faces[1:] {
		fmt.Fprintf(w, ",%d,%d,%d", f[0], f[1], -f[2]-1)
	}
	w.WriteString("\n\t\t}\n\t}\n\tModel: 2, \"Model::m\", \"Mesh\" {\n\t}\n}\nConnections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}\n")
}

// most3DS limits the number of triangles of the meshes that tests write as 3DS, because 3DS counts vertices with 16
// bits.
const most3DS = 20000

func write3DS(w *bufio.Writer, s *sheet) {
	var meshes bytes.Buffer
	for lo := 0; lo < len(s.faces); lo += most3DS {
		faces := s.faces[lo:min(lo+most3DS, len(s.faces))]
		numbers := map[int]uint16{}
		var points [][3]float32
		var corners [][4]uint16
		for _, f := range faces {
			var c [4]uint16
			for k, v := range f {
				n, ok := numbers[v]
				if !ok {
					n = uint16(len(points))
					numbers[v] = n
					points = append(points, s.points[v])
				}
				c[k] = n
			}
			corners = append(corners, c)
		}
		pointBytes, faceBytes := 6+2+12*len(points), 6+2+8*len(corners)
		put(&meshes, binary.LittleEndian, uint16(0x4000), uint32(6+2+6+pointBytes+faceBytes), []byte("m\x00"), uint16(0x4100), uint32(6+pointBytes+faceBytes),
			uint16(0x4110), uint32(pointBytes), uint16(len(points)), points, uint16(0x4120), uint32(faceBytes), uint16(len(corners)), corners)
	}
	put(w, binary.LittleEndian, uint16(0x4d4d), uint32(12+meshes.Len()), uint16(0x3d3d), uint32(6+meshes.Len()), meshes.Bytes())
}

func writeAMF(w *bufio.Writer, s *sheet) {
	w.WriteString(`<?xml version="1.0"?><amf unit="millimeter"><object id="0"><mesh><vertices>`)
	s.numbers(w, "<vertex><coordinates><x>%g</x><y>%g</y><z>%g</z></coordinates></vertex>\n")
	w.WriteString("</vertices><volume>")
	s.corners(w, "<triangle><v1>%d</v1><v2>%d</v2><v3>%d</v3></triangle>\n")
	w.WriteString("</volume></mesh></object></amf>")
}

func writeDXF(w *bufio.Writer, s *sheet) {
	w.WriteString("0\nSECTION\n2\nENTITIES\n")
	for _, f := range s.faces {
		w.WriteString("0\n3DFACE\n8\n0\n")
		for k := range 4 {
			p := s.points[f[min(k, 2)]]
			fmt.Fprintf(w, "1%d\n%g\n2%d\n%g\n3%d\n%g\n", k, p[0], k, p[1], k, p[2])
		}
	}
	w.WriteString("0\nENDSEC\n0\nEOF\n")
}

func writeX3D(w *bufio.Writer, s *sheet) {
	w.WriteString(`<?xml version="1.0"?><X3D version="3.3"><Scene><Shape><IndexedFaceSet coordIndex="`)
	s.corners(w, "%d %d %d -1 ")
	w.WriteString(`"><Coordinate point="`)
	s.numbers(w, "%g %g %g, ")
	w.WriteString(`"/></IndexedFaceSet></Shape></Scene></X3D>`)
}

func writePCD(w *bufio.Writer, s *sheet) {
	n := len(s.points)
	fmt.Fprintf(w, "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH %d\nHEIGHT 1\nPOINTS %d\nDATA binary\n", n, n)
	put(w, binary.LittleEndian, s.points)
}

func writeLAS(w *bufio.Writer, s *sheet) {
	head := make([]byte, 227)
	copy(head, "LASF")
	head[24], head[25], head[94] = 1, 2, 227
	binary.LittleEndian.PutUint32(head[96:], 227)
	head[105] = 20
	binary.LittleEndian.PutUint32(head[107:], uint32(len(s.points)))
	for axis := range 3 {
		binary.LittleEndian.PutUint64(head[131+8*axis:], math.Float64bits(1e-6))
	}
	w.Write(head)
	for _, p := range s.points {
		put(w, binary.LittleEndian, [3]int32{int32(p[0] * 1e6), int32(p[1] * 1e6), int32(p[2] * 1e6)}, [8]byte{})
	}
}

func writeXYZ(w *bufio.Writer, s *sheet) { s.numbers(w, "%g %g %g\n") }

// writeForeign writes a sheet to a new file.
func writeForeign(tb testing.TB, f *foreign, s *sheet) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), f.name)
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	f.write(w, s)
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestForeign reads the same sheet from every format that cannot be written, and compares the number of triangles and
// the box.
func TestForeign(t *testing.T) {
	s := newSheet(30, 20)
	for i := range foreigns {
		f := &foreigns[i]
		m, rep, err := load.File(t.Context(), writeForeign(t, f, s), scenes.ReadOptions{})
		if err != nil || len(rep.Warnings) > 0 {
			t.Errorf("%s: %v, %+v", f.name, err, rep)
			continue
		}
		if n := len(s.faces); !f.cloud && m.Len() != n || f.cloud && m.Len() != 8*len(s.points) {
			t.Errorf("%s: %d triangles", f.name, m.Len())
		}
		size, slack := rep.Bounds.Size(), 1e-5
		if f.cloud {
			slack = 0.1
		}
		if math.Abs(size[0]-1) > slack || math.Abs(size[1]-1) > slack || math.Abs(size[2]-0.1997) > slack+1e-4 {
			t.Errorf("%s: a box of %v", f.name, size)
		}
	}
}
