package main

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
)

// flowInPipe returns a VTU file of a curved pipe made of hexahedra, with the velocity of a flow. The flow is fastest on
// the inner side of the bend and swirls about the middle of the cross-section.
func flowInPipe() ([]byte, error) {
	const nr, na, nz = 10, 40, 10
	var points, velocity []float32
	for k := range nz {
		for j := range na {
			for i := range nr {
				r, z := 1+float64(i)/(nr-1), float64(k)/(nz-1)-0.5
				sin, cos := math.Sincos(1.5 * math.Pi * float64(j) / (na - 1))
				across := 4 * (r - 1) * (2 - r) * (1 - 3.6*z*z)
				speed, swirl := 0.15+across*1.6/r, 0.5*across*z
				points = append(points, float32(r*cos), float32(r*sin), float32(z))
				velocity = append(velocity, float32(-speed*sin+swirl*cos), float32(speed*cos+swirl*sin), float32(0.5*(1.5-r)*across))
			}
		}
	}
	var cells, offsets []int32
	var types []uint8
	at := func(i, j, k int) int32 { return int32((k*na+j)*nr + i) }
	for k := range nz - 1 {
		for j := range na - 1 {
			for i := range nr - 1 {
				for _, z := range []int{k, k + 1} {
					cells = append(cells, at(i, j, z), at(i+1, j, z), at(i+1, j+1, z), at(i, j+1, z))
				}
				const hexahedron = 12
				offsets, types = append(offsets, int32(len(cells))), append(types, hexahedron)
			}
		}
	}
	var b bytes.Buffer
	array := func(kind, attributes string, data any) {
		fmt.Fprintf(&b, "<DataArray type=%q %s format=\"binary\">%s</DataArray>\n", kind, attributes, compressedArray(data))
	}
	fmt.Fprintf(&b, `<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32" compressor="vtkZLibDataCompressor">
<UnstructuredGrid><Piece NumberOfPoints="%d" NumberOfCells="%d">
<PointData Vectors="U">`, len(points)/3, len(types))
	array("Float32", `Name="U" NumberOfComponents="3"`, velocity)
	b.WriteString("</PointData><Points>")
	array("Float32", `Name="Points" NumberOfComponents="3"`, points)
	b.WriteString("</Points><Cells>")
	array("Int32", `Name="connectivity"`, cells)
	array("Int32", `Name="offsets"`, offsets)
	array("UInt8", `Name="types"`, types)
	b.WriteString("</Cells></Piece></UnstructuredGrid></VTKFile>\n")
	return b.Bytes(), nil
}

// compressedArray returns numbers in the compressed form of VTK: a table of block sizes and the blocks, both in base
// 64. There is only one block.
func compressedArray(data any) string {
	var plain, packed bytes.Buffer
	binary.Write(&plain, binary.LittleEndian, data) // errors are impossible for slices of numbers
	w := zlib.NewWriter(&packed)
	w.Write(plain.Bytes())
	w.Close()
	var sizes bytes.Buffer
	binary.Write(&sizes, binary.LittleEndian, [4]uint32{1, uint32(plain.Len()), 0, uint32(packed.Len())})
	return base64.StdEncoding.EncodeToString(sizes.Bytes()) + base64.StdEncoding.EncodeToString(packed.Bytes())
}

// writeCloud writes a cloud of n points as a binary PLY file. It shows hills with a tower and trees from the air.
func writeCloud(to io.Writer, n int) error {
	w := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprintf(w, "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n", n)
	r := rand.New(rand.NewPCG(36, 1))
	var record [15]byte
	for i := range n {
		p, c := scannedPoint(r, i)
		for axis, v := range p {
			binary.LittleEndian.PutUint32(record[4*axis:], math.Float32bits(float32(v)))
		}
		copy(record[12:], c[:])
		if _, err := w.Write(record[:]); err != nil {
			return err
		}
	}
	return w.Flush()
}

// lake is the height of the surface of the lakes.
const lake = -6

// groundHeight returns the height of the ground.
func groundHeight(x, y float64) float64 {
	return 9*math.Sin(x/31)*math.Cos(y/37+1) + 4*math.Sin(x/11+y/17) + 0.7*math.Sin(x/3.1)*math.Sin(y/2.7)
}

// scannedPoint returns a point of the cloud and its colour.
func scannedPoint(r *rand.Rand, i int) (p [3]float64, c [3]uint8) {
	shade := func(v int) uint8 { return uint8(v + r.IntN(16)) }
	x, y := 200*r.Float64()-100, 200*r.Float64()-100
	switch {
	case i%8 == 0: // trees: balls on the ground
		t := rand.New(rand.NewPCG(7, r.Uint64N(400)))
		x, y = 200*t.Float64()-100, 200*t.Float64()-100
		if groundHeight(x, y) < lake {
			return [3]float64{x, y, lake}, [3]uint8{shade(90), shade(140), shade(180)}
		}
		size := 2 + 2*t.Float64()
		d := normalized([3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		reach := size * (0.8 + 0.2*r.Float64())
		return [3]float64{x + reach*d[0], y + reach*d[1], groundHeight(x, y) + size*1.3 + 1.2*reach*d[2]}, [3]uint8{shade(50), shade(96), shade(44)}
	case i%25 == 1: // the tower
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		h := r.Float64()
		radius := 9 - 3*h
		if h > 0.8 {
			radius = 8 * (1.25 - h) / 0.45
		}
		return [3]float64{20 + radius*cos, -15 + radius*sin, groundHeight(20, -15) + 42*h}, [3]uint8{shade(180), shade(120), shade(96)}
	}
	z := groundHeight(x, y)
	if z < lake {
		return [3]float64{x, y, lake}, [3]uint8{shade(90), shade(140), shade(180)}
	}
	return [3]float64{x, y, z}, [3]uint8{shade(150), shade(146 + int(z)), shade(104)}
}
