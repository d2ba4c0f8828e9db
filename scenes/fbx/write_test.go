package fbx

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"lockstep/scenes/internal/meshtest"
)

// A writer writes the records of a text as a binary file.
type writer struct {
	order   binary.AppendByteOrder
	version uint32
	packed  bool // whether arrays are compressed
}

// A fixedOrder is a byte order that can both read and append numbers.
type fixedOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// binaryOf converts a text to a binary file.
func binaryOf(t testing.TB, file string, version uint32, packed bool, order fixedOrder) string {
	t.Helper()
	in := meshtest.Input(t.Context(), noLimits)
	r := &reader{in: in, Memory: in.Memory(0)}
	r.warn = r.in.Warnings()
	doc, err := r.parse([]byte(file))
	if err != nil || doc.bad != "" {
		t.Fatal(err, doc.bad, doc.badAt)
	}
	w := &writer{order, version, packed}
	out := []byte(magic)
	out = append(out, 0)
	if order == fixedOrder(binary.BigEndian) {
		out[len(out)-1] = 1
	}
	out = order.AppendUint32(out, version)
	return string(w.records(out, doc.root()))
}

// records appends the child records of a record, and the mark that ends their list.
func (w *writer) records(out []byte, of node) []byte {
	for n := range of.children() {
		out = w.record(out, n)
	}
	return w.number(w.number(w.number(out, 0), 0), 0, 0)
}

// number appends v in the size that the version of the file has for lengths. After v it appends the bytes in more.
func (w *writer) number(out []byte, v int, more ...byte) []byte {
	if w.version >= wideVersion {
		out = w.order.AppendUint64(out, uint64(v))
	} else {
		out = w.order.AppendUint32(out, uint32(v))
	}
	return append(out, more...)
}

func (w *writer) record(out []byte, n node) []byte {
	var values []byte
	count, array := 0, n.child("a").exists()
	if array {
		values, count = w.array(values, n), 1
	} else {
		for v := range n.values() {
			values = w.value(values, v, n.name() == "Content")
			count++
		}
	}
	size := 4
	if w.version >= wideVersion {
		size = 8
	}
	body := append([]byte(n.name()), values...)
	start := len(out) + 3*size + 1
	if !array && n.doc.nodes[n.i].child != 0 {
		body = append(body, w.records(make([]byte, start+len(body)), n)[start+len(body):]...) // record offsets are absolute
	}
	out = w.number(w.number(w.number(out, start+len(body)), count), len(values), byte(len(n.name())))
	return append(out, body...)
}

// value appends a value of a text. A whole number above a million gets 64 bits.
func (w *writer) value(out []byte, v value, content bool) []byte {
	if content {
		raw, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(v.raw), "="))
		return append(w.order.AppendUint32(append(out, 'R'), uint32(len(raw))), raw...)
	}
	if v.kind == 'S' {
		name := string(v.raw)
		if class, plain, ok := strings.Cut(name, "::"); ok {
			name = plain + "\x00\x01" + class
		}
		return append(w.order.AppendUint32(append(out, 'S'), uint32(len(name))), name...)
	}
	whole, err := strconv.ParseInt(string(v.raw), 10, 64)
	switch {
	case err != nil:
		x, _ := strconv.ParseFloat(string(v.raw), 64)
		return w.order.AppendUint64(append(out, 'D'), math.Float64bits(x))
	case whole > 1000000:
		return w.order.AppendUint64(append(out, 'L'), uint64(whole))
	}
	return w.order.AppendUint32(append(out, 'I'), uint32(whole))
}

// bombSize is the size in bytes of an array of zeros.
const bombSize = 72 << 20

// array appends the array of a record.
func (w *writer) array(out []byte, n node) []byte {
	var body []byte
	count := 0
	kind := byte('i')
	if strings.Contains("Vertices Normals UV Colors Transform Weights", n.name()) {
		kind = 'd'
	}
	for v := range n.child("a").values() {
		if string(v.raw) == "zeros" {
			count, body = bombSize/8, make([]byte, bombSize)
			break
		}
		x, _ := strconv.ParseFloat(string(v.raw), 64)
		if kind == 'd' {
			body = w.order.AppendUint64(body, math.Float64bits(x))
		} else {
			body = w.order.AppendUint32(body, uint32(int32(x)))
		}
		count++
	}
	coded := uint32(0)
	if w.packed {
		coded = 1
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(body)
		z.Close()
		body = b.Bytes()
	}
	out = w.order.AppendUint32(append(out, kind), uint32(count))
	out = w.order.AppendUint32(w.order.AppendUint32(out, coded), uint32(len(body)))
	return append(out, body...)
}

// parts is a document of version 7. Tests replace some of its parts.
type parts struct {
	settings, layers, geometry, model, material, objects, connections string
}

const (
	square = `Vertices: *12 {
			a: 0,0,0,4,0,0,
4,4,0,0,4,0
		}`
	onePolygon = `PolygonVertexIndex: *4 {
			a: 0,1,2,-4
		}`
	connections = `	C: "OO",2000001,0
	C: "OO",3000001,2000001
	C: "OO",4000001,2000001
`
)

// String returns the text of the document.
func (p parts) String() string {
	if p.geometry == "" {
		p.geometry = square + "\n" + onePolygon
	}
	if p.connections == "" {
		p.connections = connections
	}
	return fmt.Sprintf(`; FBX 7.3.0 project file
FBXHeaderExtension:  {
	FBXVersion: 7300
}
GlobalSettings:  {
	Properties70:  {
		%s
	}
}
Objects:  {
	Geometry: 3000001, "Geometry::", "Mesh" {
		%s
		%s
	}
	Model: 2000001, "Model::first", "Mesh" {
		Properties70:  {
			%s
		}
	}
	Material: 4000001, "Material::red", "" {
		Properties70:  {
			P: "DiffuseColor", "Color", "", "A",1,0,0
			%s
		}
	}
	%s
}
Connections:  {
%s}
`, p.settings, p.geometry, p.layers, p.model, p.material, p.objects, p.connections)
}

// old is a file of version 6.
const old = `; FBX 6.1.0 project file
FBXHeaderExtension:  {
	FBXVersion: 6100
}
Objects:  {
	Model: "Model::first", "Mesh" {
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",1,2,3
		}
		Vertices: 0,0,0,4,0,0
		,4,4,0,0,4,0
		PolygonVertexIndex: 0,1,2,-4
		LayerElementMaterial: 0 {
			MappingInformationType: "AllSame"
			ReferenceInformationType: "IndexToDirect"
			Materials: 0
		}
	}
	Material: "Material::red", "" {
		Properties60:  {
			Property: "DiffuseColor", "ColorRGB", "",1,0,0
		}
	}
	Texture: "Texture::t", "TextureVideoClip" {
		RelativeFilename: "tex\green.png"
	}
}
Connections:  {
	Connect: "OO", "Model::first", "Model::Scene"
	Connect: "OO", "Material::red", "Model::first"
	%s
}
`
