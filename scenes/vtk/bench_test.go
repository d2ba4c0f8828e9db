package vtk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// sphere returns an XML file of a rough sphere of 2*n*n triangles, with arrays in the form that VTK writes.
func (w *writer) sphere(n int) []byte {
	var points []float32
	var corners, ends []int64
	for j := range n + 1 {
		for i := range n {
			a, b := 2*math.Pi*float64(i)/float64(n), math.Pi*float64(j)/float64(n)
			r := 1 + 0.05*math.Sin(9*a)*math.Cos(7*b)
			points = append(points, float32(r*math.Cos(a)*math.Sin(b)), float32(r*math.Sin(a)*math.Sin(b)), float32(r*math.Cos(b)))
		}
	}
	for j := range n {
		for i := range n {
			a, b := int64(j*n+i), int64(j*n+(i+1)%n)
			corners = append(corners, a, b, b+int64(n), a, b+int64(n), a+int64(n))
			ends = append(ends, int64(len(corners)-3), int64(len(corners)))
		}
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, `<VTKFile type="PolyData" byte_order="LittleEndian" header_type="UInt32" compressor="%s"><PolyData>`, w.compressor)
	fmt.Fprintf(&file, `<Piece NumberOfPoints="%d" NumberOfPolys="%d"><Points>%s</Points><Polys>%s%s</Polys></Piece></PolyData>`,
		len(points)/3, len(ends), w.array("Points", 3, points), w.array("connectivity", 1, corners), w.array("offsets", 1, ends))
	if w.appended.Len() > 0 {
		encoding := "raw"
		if w.mode == "coded" {
			encoding = "base64"
		}
		fmt.Fprintf(&file, `<AppendedData encoding="%s">_%s</AppendedData>`, encoding, w.appended.Bytes())
	}
	file.WriteString("</VTKFile>")
	return file.Bytes()
}

// BenchmarkRead reads half a million triangles from XML files of PolyData in several encodings.
func BenchmarkRead(b *testing.B) {
	for _, o := range []options{
		{"raw", zlibName, binary.LittleEndian, false, 1 << 15}, {"coded", zlibName, binary.LittleEndian, false, 1 << 15},
		{"raw", lz4Name, binary.LittleEndian, false, 1 << 15},
		{"raw", "", binary.LittleEndian, false, 0}, {"coded", "", binary.LittleEndian, false, 0},
	} {
		w := &writer{t: b, options: o}
		file := w.sphere(500)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("form=%s/compressor=%s/workers=%d", o.mode, o.compressor, workers), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				for b.Loop() {
					m, _, err := format.Read(context.Background(), bytes.NewReader(file), scenes.ReadOptions{Workers: workers}, Format)
					if err != nil || m.Len() != 500_000 {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
