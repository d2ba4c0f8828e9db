package gltf

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/weld"
)

// Write writes a mesh as binary glTF 2.0. The file has
//   - shared vertices with normals, colours and texture coordinates
//   - a node with a mesh for each part
//   - a primitive for each run of triangles of the same material
//   - textures as PNG
//
// Vertices keep the coordinates of the mesh. The root node turns the up axis to +y, adds the origin, and scales a
// known unit to metres. The format has no colours of triangles, so Write gives the colour of a triangle to its
// corners. It leaves out triangles with coordinates that are not finite, because the format forbids such coordinates.
//
// The error comes from w, or reports that the file would be larger than 4 GiB.
func Write(w io.Writer, m *scenes.Mesh) error {
	e := newEncoder(m)
	e.writeVertices()
	e.writeMaterials()
	e.writeNodes()
	if e.err == nil {
		e.err = e.flush(w)
	}
	if e.err != nil {
		return fmt.Errorf("write glTF: %w", e.err)
	}
	return nil
}

// JSON objects that Write uses. Source: glTF 2.0, section 5.
type (
	document struct {
		Asset          asset        `json:"asset"`
		Scene          int          `json:"scene"`
		Scenes         []scene      `json:"scenes"`
		Nodes          []node       `json:"nodes"`
		Meshes         []mesh       `json:"meshes,omitempty"`
		Materials      []material   `json:"materials,omitempty"`
		Textures       []texture    `json:"textures,omitempty"`
		Samplers       []sampler    `json:"samplers,omitempty"`
		Images         []embedded   `json:"images,omitempty"`
		Accessors      []accessor   `json:"accessors,omitempty"`
		BufferViews    []bufferView `json:"bufferViews,omitempty"`
		Buffers        []buffer     `json:"buffers,omitempty"`
		ExtensionsUsed []string     `json:"extensionsUsed,omitempty"`
	}
	asset struct {
		Version   string `json:"version"`
		Generator string `json:"generator"`
	}
	scene struct {
		Nodes []int `json:"nodes"`
	}
	node struct {
		Name     string    `json:"name,omitempty"`
		Mesh     *int      `json:"mesh,omitempty"`
		Matrix   []float64 `json:"matrix,omitempty"`
		Children []int     `json:"children,omitempty"`
	}
	mesh struct {
		Name       string      `json:"name,omitempty"`
		Primitives []primitive `json:"primitives"`
	}
	primitive struct {
		Attributes map[string]int `json:"attributes"`
		Indices    int            `json:"indices"`
		Material   *int           `json:"material,omitempty"`
	}
	material struct {
		Name        string         `json:"name,omitempty"`
		PBR         pbr            `json:"pbrMetallicRoughness"`
		Normal      *textureRef    `json:"normalTexture,omitempty"`
		Occlusion   *textureRef    `json:"occlusionTexture,omitempty"`
		Emission    *[3]float32    `json:"emissiveFactor,omitempty"`
		Glow        *textureRef    `json:"emissiveTexture,omitempty"`
		AlphaMode   string         `json:"alphaMode,omitempty"`
		AlphaCutoff *float32       `json:"alphaCutoff,omitempty"`
		DoubleSided bool           `json:"doubleSided,omitempty"`
		Extensions  map[string]any `json:"extensions,omitempty"`
	}
	pbr struct {
		BaseColor [4]float32  `json:"baseColorFactor"`
		Texture   *textureRef `json:"baseColorTexture,omitempty"`
		Metallic  float32     `json:"metallicFactor"`
		Roughness *float32    `json:"roughnessFactor,omitempty"`
		Surface   *textureRef `json:"metallicRoughnessTexture,omitempty"`
	}
	textureRef struct {
		Index      int            `json:"index"`
		TexCoord   int            `json:"texCoord,omitempty"`
		Scale      *float32       `json:"scale,omitempty"`    // of normal maps only
		Strength   *float32       `json:"strength,omitempty"` // of occlusion only
		Extensions map[string]any `json:"extensions,omitempty"`
	}
	texture struct {
		Name    string `json:"name,omitempty"`
		Sampler int    `json:"sampler"`
		Source  int    `json:"source"`
	}
	sampler struct {
		Mag   int `json:"magFilter"`
		Min   int `json:"minFilter,omitempty"`
		WrapS int `json:"wrapS"`
		WrapT int `json:"wrapT"`
	}
	embedded struct {
		MimeType   string `json:"mimeType"`
		BufferView int    `json:"bufferView"`
	}
	accessor struct {
		BufferView    int       `json:"bufferView"`
		ByteOffset    int       `json:"byteOffset,omitempty"`
		ComponentType int       `json:"componentType"`
		Normalized    bool      `json:"normalized,omitempty"`
		Count         int       `json:"count"`
		Type          string    `json:"type"`
		Min           []float32 `json:"min,omitempty"`
		Max           []float32 `json:"max,omitempty"`
	}
	bufferView struct {
		Buffer     int `json:"buffer"` // always 0, but required by the format
		ByteOffset int `json:"byteOffset"`
		ByteLength int `json:"byteLength"`
		Target     int `json:"target,omitempty"`
	}
	buffer struct {
		ByteLength int `json:"byteLength"`
	}
)

// Constants of WebGL that the format uses.
const (
	typeUint16  = 5123
	typeUint32  = 5125
	typeFloat   = 5126
	vertexArray = 34962
	indexArray  = 34963
	nearest     = 9728
	linear      = 9729
)

// An encoder is the state of Write.
type encoder struct {
	document
	mesh     *scenes.Mesh
	a        *scenes.Attributes // empty, not nil, if the mesh has no attributes
	vertices weld.Vertices
	columns  map[string]int // accessors of the vertices, by the name of the attribute
	data     []byte
	err      error
}

func newEncoder(m *scenes.Mesh) *encoder {
	e := &encoder{mesh: m, a: m.Attributes, columns: map[string]int{}}
	if e.a == nil {
		e.a = new(scenes.Attributes)
	}
	e.Asset = asset{Version: "2.0", Generator: "Lockstep"}
	e.vertices = weld.Of(m, weld.Split{Normals: true, Colors: true, TexCoords: true, TexCoords2: true, FaceColors: e.usesFaceColors()})
	return e
}

// usesFaceColors reports whether the colours of triangles are written as colours of their corners. They are not written
// if the mesh has colours of corners or materials.
func (e *encoder) usesFaceColors() bool {
	return e.mesh.Colors != nil && !e.a.Colors.Has() && e.a.MaterialOf == nil
}

// addView adds a buffer view from offset `from` to the end of the buffer, and returns its index.
func (e *encoder) addView(from, target int) int {
	e.BufferViews = append(e.BufferViews, bufferView{0, from, len(e.data) - from, target})
	for len(e.data)%4 != 0 {
		e.data = append(e.data, 0)
	}
	return len(e.BufferViews) - 1
}

// writeColumn writes an attribute of all vertices. The function put must append the value for corner k of triangle t to
// the data.
func (e *encoder) writeColumn(name string, a accessor, put func(k, t int)) {
	from := len(e.data)
	for i := range e.vertices.Len() {
		put(e.vertices.At(i))
	}
	a.Count, a.BufferView = e.vertices.Len(), e.addView(from, vertexArray)
	e.columns[name] = len(e.Accessors)
	e.Accessors = append(e.Accessors, a)
}

func (e *encoder) appendFloat(v float32) {
	e.data = binary.LittleEndian.AppendUint32(e.data, math.Float32bits(v))
}

// writeNodes writes a node for each part, and for each run of triangles outside the parts.
func (e *encoder) writeNodes() {
	e.Scenes = []scene{{Nodes: []int{0}}}
	e.Nodes = []node{{Matrix: e.rootMatrix()}}
	at := 0
	for _, p := range e.mesh.Parts {
		e.writeNode("", at, p.First)
		e.writeNode(p.Name, p.First, p.First+p.Count)
		at = p.First + p.Count
	}
	e.writeNode("", at, e.mesh.Len())
}

// rootMatrix returns the matrix, column by column, that turns the up axis of the mesh to +y, adds its origin, and
// scales its unit to metres. It returns nil if this is the identity.
func (e *encoder) rootMatrix() []float64 {
	unit := e.unit()
	x, y, z := [3]float64{unit, 0, 0}, [3]float64{0, unit, 0}, [3]float64{0, 0, unit}
	if e.mesh.Up == scenes.PlusZ {
		y, z = [3]float64{0, 0, -unit}, [3]float64{0, unit, 0}
	} else if e.mesh.Origin == [3]float64{} && unit == 1 {
		return nil
	}
	var o [3]float64
	for c := range o {
		o[c] = x[c]*e.mesh.Origin[0] + y[c]*e.mesh.Origin[1] + z[c]*e.mesh.Origin[2] + 0 // adding 0 turns -0 into 0
	}
	return []float64{x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, o[0], o[1], o[2], 1}
}

// unit returns the factor that scales lengths of the mesh to metres. It is 1 if the unit is unknown.
func (e *encoder) unit() float64 {
	if e.mesh.Unit == 0 {
		return 1
	}
	return e.mesh.Unit
}

// maxRuns limits the number of primitives of a part. A primitive is a run of triangles of one material. If a part has
// more runs, its triangles are sorted by material first.
const maxRuns = 1024

// writeNode writes a node with triangles lo to hi (exclusive). It writes nothing if there are no triangles.
func (e *encoder) writeNode(name string, lo, hi int) {
	materialOf := func(t int) int32 {
		if e.a.MaterialOf == nil {
			return -1
		}
		return e.a.MaterialOf[t]
	}
	var order []int
	for t := lo; t < hi; t++ {
		if e.isFinite(t) {
			order = append(order, t)
		}
	}
	if len(order) == 0 {
		return
	}
	runs := 1
	for i := 1; i < len(order); i++ {
		if materialOf(order[i]) != materialOf(order[i-1]) {
			runs++
		}
	}
	if runs > maxRuns {
		order = sortByMaterial(order, len(e.a.Materials), materialOf)
	}
	number := len(e.Meshes)
	out := mesh{Name: name}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && materialOf(order[to]) == materialOf(order[from]) {
			to++
		}
		p := primitive{Attributes: e.columns, Indices: e.writeIndices(order[from:to])}
		if of := int(materialOf(order[from])); of >= 0 {
			p.Material = &of
		}
		out.Primitives = append(out.Primitives, p)
		from = to
	}
	e.Meshes = append(e.Meshes, out)
	e.Nodes[0].Children = append(e.Nodes[0].Children, len(e.Nodes))
	e.Nodes = append(e.Nodes, node{Name: name, Mesh: &number})
}

// sortByMaterial sorts triangles by their material. Triangles of the same material stay in their order.
func sortByMaterial(order []int, materials int, of func(t int) int32) []int {
	each := make([][]int, materials+1)
	for _, t := range order {
		each[of(t)+1] = append(each[of(t)+1], t)
	}
	order = order[:0]
	for _, ts := range each {
		order = append(order, ts...)
	}
	return order
}

func (e *encoder) isFinite(t int) bool {
	for k := range 3 {
		for _, v := range [3]float32{e.mesh.X[k][t], e.mesh.Y[k][t], e.mesh.Z[k][t]} {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

// writeIndices writes the vertices of the triangles, and returns the index of their accessor.
func (e *encoder) writeIndices(triangles []int) int {
	from := len(e.data)
	a := accessor{ComponentType: typeUint32, Type: "SCALAR", Count: 3 * len(triangles)}
	if e.vertices.Len() < math.MaxUint16 {
		a.ComponentType = typeUint16
	}
	for _, t := range triangles {
		for _, v := range e.vertices.Index[3*t : 3*t+3] {
			if a.ComponentType == typeUint16 {
				e.data = binary.LittleEndian.AppendUint16(e.data, uint16(v))
			} else {
				e.data = binary.LittleEndian.AppendUint32(e.data, v)
			}
		}
	}
	a.BufferView = e.addView(from, indexArray)
	e.Accessors = append(e.Accessors, a)
	return len(e.Accessors) - 1
}

// flush writes the file: a header, the document and the buffer.
func (e *encoder) flush(w io.Writer) error {
	if len(e.data) > 0 {
		e.Buffers = []buffer{{len(e.data)}}
	}
	text, err := json.Marshal(&e.document)
	if err != nil {
		return err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	size := int64(12 + 8 + len(text))
	if len(e.data) > 0 {
		size += 8 + int64(len(e.data))
	}
	if size > math.MaxUint32 {
		return fmt.Errorf("%d bytes are more than the format holds", size)
	}
	out := bufio.NewWriter(w)
	word := func(v ...uint32) {
		for _, v := range v {
			out.Write(binary.LittleEndian.AppendUint32(nil, v))
		}
	}
	word(0x46546C67, 2, uint32(size), uint32(len(text)), 0x4E4F534A) // mark of glTF; type of the JSON chunk
	out.Write(text)
	if len(e.data) > 0 {
		word(uint32(len(e.data)), 0x004E4942) // type of the binary chunk
		out.Write(e.data)
	}
	return out.Flush()
}
