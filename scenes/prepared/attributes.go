package prepared

import (
	"errors"
	"fmt"
	"image"
	"math"
	"unsafe"

	"lockstep/scenes"
)

// part is the JSON form of a scenes.Part.
type part struct {
	Name      string        `json:"name"`
	Count     int           `json:"count"`
	First     int           `json:"first"`
	Transform *[3][4]number `json:"transform,omitempty"`
	Flat      bool          `json:"flat,omitempty"`
}

// attributes is the JSON form of a scenes.Attributes. Arrays of indices and values are sections of the file. They are
// given by their index in the list of sections; 0 means none.
type attributes struct {
	Vertices   int         `json:"vertices"`
	Index      [3]int      `json:"index"`
	Normals    attribute   `json:"normals"`
	Colors     attribute   `json:"colors"`
	TexCoords  attribute   `json:"texcoords"`
	TexCoords2 attribute   `json:"texcoords2,omitzero"`
	MaterialOf int         `json:"material_of,omitempty"`
	Fields     list[field] `json:"fields,omitempty"`

	Materials list[material] `json:"materials,omitempty"`
	Textures  list[texture]  `json:"textures,omitempty"`
	Pictures  list[picture]  `json:"pictures,omitempty"`
}

type attribute struct {
	Values int    `json:"values,omitempty"`
	Index  [3]int `json:"index"`
}

type field struct {
	Name        string `json:"name"`
	OfTriangles bool   `json:"of_triangles,omitempty"`
	Values      int    `json:"values"`
	Symmetric   number `json:"symmetric,omitempty"`
}

// material is the JSON form of a scenes.Material. Textures are numbered from 1; 0 means none.
type material struct {
	Name        string    `json:"name,omitempty"`
	BaseColor   [4]number `json:"base"`
	Texture     int       `json:"texture,omitempty"`
	Emission    [3]number `json:"emission"`
	Glow        int       `json:"glow,omitempty"`
	Finish      *finish   `json:"finish,omitempty"`
	OneSided    bool      `json:"one_sided,omitempty"`
	Unlit       bool      `json:"unlit,omitempty"`
	Alpha       uint8     `json:"alpha,omitempty"`
	AlphaCutoff number    `json:"cutoff,omitempty"`
}

type finish struct {
	Numbers  [21]number `json:"numbers"`  // in the order of scenes.Finish.Numbers; older files have only the first 10
	Textures [12]int    `json:"textures"` // in the order of scenes.Finish.Textures; older files have only the first 4
}

type texture struct {
	Name    string `json:"name,omitempty"`
	Picture int    `json:"picture"` // index of the picture, from 0
	WrapU   uint8  `json:"wrap_u,omitempty"`
	WrapV   uint8  `json:"wrap_v,omitempty"`
	Nearest bool   `json:"nearest,omitempty"`
	Minify  uint8  `json:"minify,omitempty"`
	Second  bool   `json:"second,omitempty"`
	// Placement is a scenes.Placement, row by row.
	Placement *[2][3]number `json:"placement,omitempty"`
}

type picture struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Pixels int `json:"pixels"` // index of the section with the pixels
}

func partsOf(parts []scenes.Part) (all []part) {
	for _, p := range parts {
		o := part{Name: p.Name, First: p.First, Count: p.Count, Flat: p.Flat}
		if p.Transform != nil {
			o.Transform = new([3][4]number)
			for r := range 3 {
				for c := range 4 {
					o.Transform[r][c] = number(p.Transform[r][c])
				}
			}
		}
		all = append(all, o)
	}
	return all
}

// A packer converts attributes to their JSON form, and collects the arrays that become sections of the file.
type packer struct {
	to       *description
	arrays   [][]uint32
	places   map[arrayKey]int        // for each array, its index in the list of sections
	textures map[*scenes.Texture]int // number of each texture, counted from 1
	pictures map[*image.NRGBA]int
}

// An arrayKey identifies an array by its address in memory and its length.
type arrayKey struct {
	at unsafe.Pointer
	n  int
}

// addArray adds an array as a section, unless it was added before. It returns the index of the section, or 0 if the
// array is empty.
func (p *packer) addArray(all []uint32) int {
	if len(all) == 0 {
		return 0
	}
	key := arrayKey{unsafe.Pointer(unsafe.SliceData(all)), len(all)}
	if at, ok := p.places[key]; ok {
		return at
	}
	at := len(p.to.Sections)
	p.to.Sections = append(p.to.Sections, section{fmt.Sprintf("array %d", len(p.arrays)+1), int64(len(all)), ChunkWords})
	p.arrays = append(p.arrays, all)
	if p.places == nil {
		p.places = make(map[arrayKey]int)
	}
	p.places[key] = at
	return at
}

// wordsOf returns the memory of values as 32-bit words. The size of a value must be a multiple of 32 bits.
func wordsOf[T any](values []T) []uint32 {
	var zero T
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)/4))
}

func (p *packer) addColumns(index *[3][]uint32) (at [3]int) {
	for k := range 3 {
		at[k] = p.addArray(index[k])
	}
	return at
}

func packAttribute[T any](p *packer, a *scenes.Attribute[T], values []uint32) attribute {
	if !a.Has() {
		return attribute{}
	}
	return attribute{Values: p.addArray(values), Index: p.addColumns(&a.Index)}
}

// colorWords returns colours as 32-bit words, with red in the lowest byte.
func colorWords(colors []scenes.RGBA) []uint32 {
	all := make([]uint32, len(colors))
	for i, c := range colors {
		all[i] = uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24
	}
	return all
}

// addAttributes adds the attributes of a mesh.
func (p *packer) addAttributes(a *scenes.Attributes) error {
	if a == nil {
		return nil
	}
	o := &attributes{Vertices: a.Vertices, Index: p.addColumns(&a.Index)}
	p.to.Attributes = o
	o.Normals = packAttribute(p, &a.Normals, wordsOf(a.Normals.Values))
	o.Colors = packAttribute(p, &a.Colors, colorWords(a.Colors.Values))
	o.TexCoords = packAttribute(p, &a.TexCoords, wordsOf(a.TexCoords.Values))
	o.TexCoords2 = packAttribute(p, &a.TexCoords2, wordsOf(a.TexCoords2.Values))
	o.MaterialOf = p.addArray(wordsOf(a.MaterialOf))
	for _, f := range a.Fields {
		o.Fields = append(o.Fields, field{f.Name, f.OfTriangles, p.addArray(wordsOf(f.Values)), number(f.Symmetric)})
	}
	p.textures, p.pictures = make(map[*scenes.Texture]int), make(map[*image.NRGBA]int)
	for i := range a.Materials {
		o.Materials = append(o.Materials, p.convertMaterial(&a.Materials[i]))
	}
	return nil
}

func (p *packer) convertMaterial(m *scenes.Material) material {
	o := material{
		Name: m.Name, Texture: p.addTexture(m.Texture), Glow: p.addTexture(m.Glow),
		OneSided: m.OneSided, Unlit: m.Unlit,
		Alpha: uint8(m.Alpha), AlphaCutoff: number(m.AlphaCutoff),
	}
	for i, v := range m.BaseColor {
		o.BaseColor[i] = number(v)
	}
	for i, v := range m.Emission {
		o.Emission[i] = number(v)
	}
	if f := m.Finish; f != nil {
		o.Finish = new(finish)
		for i, t := range f.Textures() {
			o.Finish.Textures[i] = p.addTexture(*t)
		}
		for i, v := range f.Numbers() {
			o.Finish.Numbers[i] = number(*v)
		}
	}
	return o
}

// addTexture returns the number of a texture, and adds the texture if it is new.
func (p *packer) addTexture(t *scenes.Texture) int {
	if t == nil {
		return 0
	}
	if at, ok := p.textures[t]; ok {
		return at
	}
	a := p.to.Attributes
	at, ok := p.pictures[t.Picture]
	if !ok {
		at = len(a.Pictures)
		size := t.Picture.Rect.Size()
		a.Pictures = append(a.Pictures, picture{size.X, size.Y, p.addArray(pixelsOf(t.Picture))})
		p.pictures[t.Picture] = at
	}
	o := texture{Name: t.Name, Picture: at, WrapU: uint8(t.WrapU), WrapV: uint8(t.WrapV), Nearest: t.Nearest, Minify: uint8(t.Minify), Second: t.Second}
	if t.Placement != nil {
		o.Placement = new([2][3]number)
		for r := range 2 {
			for c := range 3 {
				o.Placement[r][c] = number(t.Placement[r][c])
			}
		}
	}
	a.Textures = append(a.Textures, o)
	p.textures[t] = len(a.Textures)
	return len(a.Textures)
}

// pixelsOf returns the pixels of a picture as 32-bit words, with red in the lowest byte.
func pixelsOf(m *image.NRGBA) []uint32 {
	size := m.Rect.Size()
	all := make([]uint32, 0, size.X*size.Y)
	for y := range size.Y {
		row := m.Pix[y*m.Stride:]
		for x := range size.X {
			q := row[4*x : 4*x+4]
			all = append(all, uint32(q[0])|uint32(q[1])<<8|uint32(q[2])<<16|uint32(q[3])<<24)
		}
	}
	return all
}

// An unpacker converts the JSON form and the sections of a file to attributes.
type unpacker struct {
	d      *description
	read   func(section int) ([]uint32, error)
	arrays map[int][]uint32
}

var errReference = errors.New("the description refers to data that does not exist or has another size")

// readArray returns the words of the section with index `at`, or nil if `at` is 0. It returns an error unless the
// number of words is a multiple of width.
func (u *unpacker) readArray(at, width int) ([]uint32, error) {
	if at == 0 {
		return nil, nil
	}
	if at < 0 || at >= len(u.d.Sections) || u.d.Sections[at].Words%int64(width) != 0 {
		return nil, errReference
	}
	if all, ok := u.arrays[at]; ok {
		return all, nil
	}
	all, err := u.read(at)
	if err == nil {
		u.arrays[at] = all
	}
	return all, err
}

// readColumns returns the three slices of an Attribute.Index. It returns an error unless all indices are less than
// `below`.
func (u *unpacker) readColumns(at [3]int, below int) (index [3][]uint32, err error) {
	for k := range 3 {
		if index[k], err = u.readArray(at[k], 1); err != nil {
			return index, err
		}
		if len(index[k]) != u.d.Triangles {
			return index, errReference
		}
		for _, i := range index[k] {
			if int64(i) >= int64(below) {
				return index, fmt.Errorf("an index of %d where there are %d", i, below)
			}
		}
	}
	return index, nil
}

func unpackAttribute[T any](u *unpacker, from attribute, width int, value func([]uint32) T) (a scenes.Attribute[T], err error) {
	if from.Values == 0 {
		return a, nil
	}
	all, err := u.readArray(from.Values, width)
	if err != nil {
		return a, err
	}
	a.Values = make([]T, len(all)/width)
	for i := range a.Values {
		a.Values[i] = value(all[i*width : (i+1)*width])
	}
	a.Index, err = u.readColumns(from.Index, len(a.Values))
	return a, err
}

// readAttributes returns the attributes of the file, or nil if it has none.
func (u *unpacker) readAttributes() (*scenes.Attributes, error) {
	from := u.d.Attributes
	if from == nil {
		return nil, nil
	}
	if from.Vertices < 0 || int64(from.Vertices) > maxVertices {
		return nil, fmt.Errorf("%d vertices", from.Vertices)
	}
	a := &scenes.Attributes{Vertices: from.Vertices}
	var err error
	if u.d.Triangles > 0 {
		if a.Index, err = u.readColumns(from.Index, from.Vertices); err != nil {
			return nil, err
		}
	}
	if a.Normals, err = unpackAttribute(u, from.Normals, 3, func(w []uint32) [3]float32 {
		return [3]float32{math.Float32frombits(w[0]), math.Float32frombits(w[1]), math.Float32frombits(w[2])}
	}); err != nil {
		return nil, err
	}
	uv := func(w []uint32) [2]float32 {
		return [2]float32{math.Float32frombits(w[0]), math.Float32frombits(w[1])}
	}
	if a.TexCoords, err = unpackAttribute(u, from.TexCoords, 2, uv); err != nil {
		return nil, err
	}
	if a.TexCoords2, err = unpackAttribute(u, from.TexCoords2, 2, uv); err != nil {
		return nil, err
	}
	if a.Colors, err = unpackAttribute(u, from.Colors, 1, func(w []uint32) scenes.RGBA {
		return scenes.RGBA{uint8(w[0]), uint8(w[0] >> 8), uint8(w[0] >> 16), uint8(w[0] >> 24)}
	}); err != nil {
		return nil, err
	}
	if err := u.readFields(a); err != nil {
		return nil, err
	}
	return a, u.convertMaterials(a)
}

func (u *unpacker) readFields(a *scenes.Attributes) error {
	for _, f := range u.d.Attributes.Fields {
		all, err := u.readArray(f.Values, 1)
		if err != nil {
			return err
		}
		want := a.Vertices
		if f.OfTriangles {
			want = u.d.Triangles
		}
		if len(all) != want {
			return errReference
		}
		a.Fields = append(a.Fields, scenes.Field{Name: f.Name, OfTriangles: f.OfTriangles, Values: floatsOf(all), Symmetric: float64(f.Symmetric)})
	}
	return nil
}
