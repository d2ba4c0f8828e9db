package ply

import (
	"slices"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// knownProperties holds the names of properties that do not become fields, because they have a known meaning. The names
// of colours are appended.
var knownProperties = strings.Fields("x y z nx ny nz u v s t texture_u texture_v texture_s texture_t texnumber alpha a diffuse_alpha ambient_alpha flags")

// readDetails finds the fields that the header names, and reads the textures that it names.
func (r *reader) readDetails(h *header) error {
	if !r.WantsAttributes() {
		return nil
	}
	r.vertices, r.faces = h.firstElement("vertex"), h.firstElement("face", "polygon")
	r.vertexFields = fieldsOf(r.vertices)
	if r.faces != nil {
		r.faceFields = fieldsOf(r.faces)
	}
	r.nameFields()
	for _, name := range h.textures {
		picture, err := surface.DecodeBeside(r.in, "", name, r.Held())
		if err != nil {
			if err := surface.WarnMissing(r.in, r.Warn, "header", "texture "+text.Short(name), err); err != nil {
				return err
			}
			r.materials = append(r.materials, 0)
			continue
		}
		r.materials = append(r.materials, r.AddMaterial(scenes.Material{
			Name: name, BaseColor: [4]float32{1, 1, 1, 1}, Texture: &scenes.Texture{Name: name, Picture: picture},
		}))
	}
	return nil
}

// nameFields gives the mesh the names of its fields.
func (r *reader) nameFields() {
	if r.vertices == nil {
		return // no fields are wanted
	}
	r.PointFields(propertyNames(r.vertices, r.vertexFields)...)
	r.TriangleFields(propertyNames(r.faces, r.faceFields)...)
}

// fieldsOf returns the properties of an element that become fields: all single numbers with a name of unknown meaning.
func fieldsOf(e *element) (fields []int) {
	c := findColors(e)
	used := append(slices.Clone(knownProperties), c.names[:]...)
	for i, p := range e.properties {
		if p.count == none && !slices.Contains(used, p.name) {
			fields = append(fields, i)
		}
	}
	return fields
}

func propertyNames(e *element, fields []int) (names []string) {
	for _, i := range fields {
		names = append(names, e.properties[i].name)
	}
	return names
}

// vertexDetails tells where the normals, texture coordinates and fields of vertices are: it holds the indices of their
// properties. An index is -1 if the property is missing.
type vertexDetails struct {
	normal [3]int
	u, v   int
	fields []int
}

// findDetails returns the vertexDetails of e. It returns nil if e has none of these properties or if attributes are not
// wanted.
func (r *reader) findDetails(e *element) *vertexDetails {
	if !r.WantsAttributes() || e != r.vertices {
		return nil
	}
	d := &vertexDetails{
		normal: [3]int{e.index(false, "nx"), e.index(false, "ny"), e.index(false, "nz")},
		u:      e.index(false, "u", "s", "texture_u", "texture_s"),
		v:      e.index(false, "v", "t", "texture_v", "texture_t"),
		fields: r.vertexFields,
	}
	if d.normal[1] < 0 || d.normal[2] < 0 {
		d.normal[0] = -1
	}
	if d.v < 0 {
		d.u = -1
	}
	if d.normal[0] < 0 && d.u < 0 && len(d.fields) == 0 {
		return nil
	}
	return d
}

// setAttributes sets the attributes of the last point. n holds the numbers of its row.
func (d *vertexDetails) setAttributes(r *reader, n []float64) error {
	if d.normal[0] >= 0 {
		if err := r.PointNormal([3]float64{n[d.normal[0]], n[d.normal[1]], n[d.normal[2]]}); err != nil {
			return err
		}
	}
	if d.u >= 0 {
		if err := r.PointTexCoord([2]float64{n[d.u], 1 - n[d.v]}); err != nil {
			return err
		}
	}
	for i, at := range d.fields {
		if err := r.PointField(i, float32(n[at])); err != nil {
			return err
		}
	}
	return nil
}

// faceDetailFunction returns a function that sets the material, the fields and the texture coordinates of a face of e.
// It returns nil if the faces have none of these.
func (r *reader) faceDetailFunction(e *element) func(p *indexed.Polygon) error {
	if !r.WantsAttributes() || e != r.faces {
		return nil
	}
	r.row.texCoordAt = e.index(true, "texcoord")
	number := e.index(false, "texnumber")
	if r.row.texCoordAt < 0 && len(r.materials) == 0 && len(r.faceFields) == 0 {
		return nil
	}
	var refs []int64
	return func(p *indexed.Polygon) error {
		p.TexCoords, p.Material, p.Fields = nil, 0, p.Fields[:0]
		for _, at := range r.faceFields {
			p.Fields = append(p.Fields, float32(r.row.numbers[at]))
		}
		if n := r.textureNumber(number); n >= 0 && n < len(r.materials) {
			p.Material = r.materials[n]
		}
		uv := r.row.texCoords
		if len(uv) == 0 {
			return nil
		}
		if len(uv) != 2*len(p.Corners) {
			return r.Warn.Add(r.place(), "%d texture coordinates for %d corners left out", len(uv), len(p.Corners))
		}
		refs = refs[:0]
		for i := 0; i < len(uv); i += 2 {
			refs = append(refs, r.Ref(int64(r.TexCoords())))
			if err := r.AddTexCoord([2]float64{uv[i], 1 - uv[i+1]}); err != nil {
				return err
			}
		}
		p.TexCoords = refs
		return nil
	}
}

// textureNumber returns the number of the texture that the last row names in property `at`, or 0 if `at` is negative.
func (r *reader) textureNumber(at int) int {
	if at < 0 {
		return 0
	}
	if v := r.row.numbers[at]; v >= 0 && v < 1<<16 {
		return int(v)
	}
	return -1
}
