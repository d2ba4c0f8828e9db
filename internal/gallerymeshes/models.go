package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

const modelHead = `<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02">
`

// package3MF returns a 3MF file with a model. If `name` is not empty, the file has a second part with that name and the
// given text.
func package3MF(model, name, text string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`},
		{"3D/3dmodel.model", model}, {name, text},
	} {
		if part[0] == "" {
			continue
		}
		f, err := w.Create(part[0])
		if err != nil {
			return nil, err
		}
		if _, err := f.Write([]byte(part[1])); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// paintedVase returns a 3MF file of a vase. Its triangles are painted with three filaments, as the brush of a slicer
// program does.
func paintedVase() ([]byte, error) {
	vase := gridSurface(84, 56, false, func(u, v float64) [3]float64 {
		radius := 18 + 9*math.Sin(5*v+0.6) + 1.2*math.Cos(2*math.Pi*12*u)
		sin, cos := math.Sincos(2*math.Pi*u + 0.8*v)
		return [3]float64{radius * cos, radius * sin, 90 * v}
	})
	var b strings.Builder
	b.WriteString(modelHead + `<resources><object id="1" type="model"><mesh><vertices>`)
	for _, p := range vase.points {
		fmt.Fprintf(&b, "<vertex x=\"%.3f\" y=\"%.3f\" z=\"%.3f\"/>", p[0], p[1], p[2])
	}
	b.WriteString("</vertices><triangles>")
	for i, t := range vase.triangles {
		u, v := float64(i/2%84)/84, float64(i/2/84)/56
		paint := ""
		switch wave := v + 0.06*math.Sin(2*math.Pi*6*u); {
		case wave > 0.62 && wave < 0.72:
			paint = ` paint_color="8"`
		case wave > 0.3 && wave < 0.5 && math.Mod(12*u+20*v, 2) < 1:
			paint = ` paint_color="0C"`
		}
		fmt.Fprintf(&b, `<triangle v1="%d" v2="%d" v3="%d"%s/>`, t[0], t[1], t[2], paint)
	}
	b.WriteString(`</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`)
	return package3MF(b.String(), "Metadata/project_settings.config", `{"filament_colour":["#E8E2D0","#C8452E","#2E6F9E"]}`)
}

// lattice returns a 3MF file of beams from the corners of cubes to their centres. The beams are thinner towards the
// top.
func lattice() ([]byte, error) {
	const n, size = 4, 10.0
	number := map[[3]float64]int{}
	var points, beams strings.Builder
	point := func(p [3]float64) int {
		if _, ok := number[p]; !ok {
			number[p] = len(number)
			fmt.Fprintf(&points, `<vertex x="%g" y="%g" z="%g"/>`, p[0]*size, p[1]*size, p[2]*size)
		}
		return number[p]
	}
	beam := func(p, q [3]float64) {
		radius := func(p [3]float64) float64 { return 1.1 - 0.2*p[2] }
		fmt.Fprintf(&beams, `<b:beam v1="%d" v2="%d" r1="%g" r2="%g"/>`, point(p), point(q), radius(p), radius(q))
	}
	for cell := range n * n * n {
		x, y, z := float64(cell%n), float64(cell/n%n), float64(cell/n/n)
		for corner := range 8 {
			beam([3]float64{x + float64(corner&1), y + float64(corner>>1&1), z + float64(corner>>2)}, [3]float64{x + 0.5, y + 0.5, z + 0.5})
		}
	}
	for _, level := range []float64{0, n} {
		for line := range n + 1 {
			for step := range n {
				along, across := float64(step), float64(line)
				beam([3]float64{along, across, level}, [3]float64{along + 1, across, level})
				beam([3]float64{across, along, level}, [3]float64{across, along + 1, level})
			}
		}
	}
	model := strings.Replace(modelHead, "<model ", `<model requiredextensions="b" `, 1) + `<resources><object id="1" type="model"><mesh><vertices>` + points.String() +
		`</vertices><triangles/><b:beamlattice radius="1" minlength="0.01" cap="sphere"><b:beams>` + beams.String() +
		`</b:beams></b:beamlattice></mesh></object></resources><build><item objectid="1"/></build></model>`
	return package3MF(model, "", "")
}

// dracoGLB returns a GLB file of a knot in Draco's sequential coding, without compression of its numbers.
func dracoGLB() ([]byte, error) {
	knot := gridSurface(24, 180, true, trefoilPoint)
	d := []byte("DRACO\x02\x02\x01\x00\x00\x00") // header: version 2.2, mesh, sequential, no metadata
	d = binary.AppendUvarint(d, uint64(len(knot.triangles)))
	d = binary.AppendUvarint(d, uint64(len(knot.points)))
	d = append(d, 1) // uncompressed indices of two bytes each
	for _, t := range knot.triangles {
		for _, v := range t {
			d = binary.LittleEndian.AppendUint16(d, uint16(v))
		}
	}
	// This is one group with one attribute: positions of three float32, not normalized, with id 0, not compressed.
	d = append(d, 1, 1, 0, 9, 3, 0, 0, 0)
	low, high := knot.points[0], knot.points[0]
	for _, p := range knot.points {
		for axis, v := range p {
			d = binary.LittleEndian.AppendUint32(d, math.Float32bits(float32(v)))
			low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
		}
	}
	for len(d)%4 != 0 {
		d = append(d, 0)
	}
	type object = map[string]any
	doc, err := json.Marshal(object{
		"asset": object{"version": "2.0"}, "extensionsUsed": []string{"KHR_draco_mesh_compression"}, "extensionsRequired": []string{"KHR_draco_mesh_compression"},
		"scene": 0, "scenes": []object{{"nodes": []int{0}}}, "nodes": []object{{"mesh": 0}},
		"materials": []object{{"pbrMetallicRoughness": object{"baseColorFactor": []float64{0.75, 0.3, 0.1, 1}, "metallicFactor": 0, "roughnessFactor": 0.35}}},
		"meshes": []object{{"primitives": []object{{"attributes": object{"POSITION": 0}, "indices": 1, "material": 0,
			"extensions": object{"KHR_draco_mesh_compression": object{"bufferView": 0, "attributes": object{"POSITION": 0}}}}}}},
		"accessors": []object{
			{"componentType": 5126, "count": len(knot.points), "type": "VEC3", "min": low, "max": high},
			{"componentType": 5125, "count": 3 * len(knot.triangles), "type": "SCALAR"},
		},
		"bufferViews": []object{{"buffer": 0, "byteLength": len(d)}}, "buffers": []object{{"byteLength": len(d)}},
	})
	if err != nil {
		return nil, err
	}
	for len(doc)%4 != 0 {
		doc = append(doc, ' ')
	}
	glb := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(28+len(doc)+len(d)))
	for _, chunk := range []struct {
		kind string
		data []byte
	}{{"JSON", doc}, {"BIN\x00", d}} {
		glb = append(append(binary.LittleEndian.AppendUint32(glb, uint32(len(chunk.data))), chunk.kind...), chunk.data...)
	}
	return glb, nil
}
