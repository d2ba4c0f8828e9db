package threemf

import (
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A group is a list of properties, such as colours. A triangle refers to a property by the number of the property in
// its group.
type group struct {
	kind     kind
	first    uint32 // index of its first property in the list for its kind
	n        uint32
	material int32        // material for texture coordinates; -1: none
	of       []uint32     // multiproperties: ids of their groups, lowest layer first
	entries  []multiEntry // multiproperties: the properties
	mixed    []uint32     // composites: the base materials that are mixed
}

// maxLayers is the greatest number of layers of a group of multiproperties.
const maxLayers = 8

// A multiEntry is a property of several layers: for each layer, the number of a property in the group of that layer.
type multiEntry [maxLayers]uint32

// A kind tells which list holds the properties of a group.
type kind uint8

const (
	ofMaterials kind = iota
	ofColors
	ofTexCoords
	ofGroups
)

// beginGroup starts a group of properties. name is the name of the group's XML element.
func (p *parser) beginGroup(name string) error {
	id, ok := parseIndex(p.get("id"))
	if !ok {
		return p.warnf("%s left out: its id is %s", name, text.Short(p.get("id")))
	}
	g := &group{material: -1}
	switch name {
	case "basematerials":
		g.first = uint32(len(p.materials))
	case "colorgroup":
		g.kind, g.first = ofColors, uint32(len(p.palette))
	case "texture2dgroup":
		g.kind, g.first = ofTexCoords, uint32(len(p.texCoords))
		of, _ := parseIndex(p.get("texid"))
		if x := p.model.files[of]; x != nil {
			g.material = int32(len(p.materials))
			p.materials = append(p.materials, scenes.Material{Name: x.Name, BaseColor: [4]float32{1, 1, 1, 1}, Texture: x})
		}
	case "compositematerials":
		g.first = uint32(len(p.materials))
		p.readMixes(g)
	case "multiproperties":
		g.kind = ofGroups
		for _, word := range splitList(p.get("pids")) {
			if id, ok := parseIndex([]byte(word)); ok && len(g.of) < maxLayers {
				g.of = append(g.of, id)
			}
		}
	}
	p.groups[id], p.group = g, g
	return p.reader.Reserve(512)
}

// readProperty reads a property of the current group.
func (p *parser) readProperty() error {
	g := p.group
	if g == nil {
		return nil
	}
	g.n++
	switch {
	case string(p.scanner.name) == "composite":
		m, ok := p.readComposite(g)
		if err := appendCounted(p.reader, &p.materials, m); err != nil || ok {
			return err
		}
		return p.warnf("composite of no known materials")
	case g.kind == ofMaterials:
		c, ok := p.colorValue("displaycolor")
		m := scenes.Material{Name: p.text("name"), BaseColor: surface.BaseColor(c.RGB(), 1)}
		if c[3] < 255 {
			m.Alpha, m.BaseColor[3] = scenes.AlphaBlend, float32(c[3])/255
		}
		if err := appendCounted(p.reader, &p.materials, m); err != nil || ok {
			return err
		}
		return p.warnf("base material without a colour")
	case g.kind == ofColors:
		c, ok := p.colorValue("color")
		if err := appendCounted(p.reader, &p.palette, c); err != nil || ok {
			return err
		}
		return p.warnf("colour %s", text.Short(p.get("color")))
	case g.kind == ofTexCoords:
		u, ok := parseNumber(p.get("u"))
		v, fine := parseNumber(p.get("v"))
		if err := appendCounted(p.reader, &p.texCoords, surface.TexCoord([2]float64{u, 1 - v})); err != nil || ok && fine {
			return err
		}
		return p.warnf("texture coordinates that are no numbers")
	}
	var by multiEntry
	for i, word := range splitList(p.get("pindices")) {
		if i < maxLayers {
			by[i], _ = parseIndex([]byte(word))
		}
	}
	return appendCounted(p.reader, &g.entries, by)
}

// readMixes finds the base materials from which the composites of group g are mixed.
func (p *parser) readMixes(g *group) {
	id, _ := parseIndex(p.get("matid"))
	base := p.groups[id]
	if base == nil || base.kind != ofMaterials {
		return
	}
	for _, word := range splitList(p.get("matindices")) {
		if i, ok := parseIndex([]byte(word)); ok && i < base.n && len(g.mixed) < maxAttributes {
			g.mixed = append(g.mixed, base.first+i)
		}
	}
}

// readComposite returns the current composite of group g as a material. Its colour is the weighted mean of the colours
// of the base materials, in linear light. ok is false if all weights are zero.
func (p *parser) readComposite(g *group) (m scenes.Material, ok bool) {
	m.BaseColor = surface.BaseColor(scenes.DefaultColor, 1)
	var sum [4]float64
	total := 0.0
	for i, word := range splitList(p.get("values")) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || !(v > 0) || v > math.MaxFloat32 || i >= len(g.mixed) {
			continue
		}
		for c, x := range p.materials[g.mixed[i]].BaseColor {
			sum[c] += v * float64(x)
		}
		total += v
	}
	if !(total > 0) {
		return m, false
	}
	for c := range sum {
		m.BaseColor[c] = float32(sum[c] / total)
	}
	if m.BaseColor[3] < 1 {
		m.Alpha = scenes.AlphaBlend
	}
	return m, true
}

// colorValue parses an attribute of the form #RRGGBB or #RRGGBBAA. Alpha 00 becomes FF, because programs write 00 by
// mistake, and nothing would be visible. If all eight digits are 0, as assimp writes, the result is the default colour.
func (p *parser) colorValue(name string) (c scenes.RGBA, ok bool) {
	c = scenes.Opaque(scenes.DefaultColor)
	v := strings.TrimSpace(p.text(name))
	if len(v) != 7 && len(v) != 9 || v[0] != '#' {
		return c, false
	}
	n, err := strconv.ParseUint(v[1:], 16, 32)
	if err != nil {
		return c, false
	}
	if len(v) == 9 && n == 0 {
		return c, true
	}
	if len(v) == 7 {
		n = n<<8 | 0xff
	}
	if n&0xff == 0 {
		n |= 0xff
	}
	return scenes.RGBA{uint8(n >> 24), uint8(n >> 16), uint8(n >> 8), uint8(n)}, true
}

// readTexture reads a texture2d and its picture.
func (p *parser) readTexture() error {
	id, ok := parseIndex(p.get("id"))
	if !ok {
		return p.warnf("texture left out: its id is %s", text.Short(p.get("id")))
	}
	name := p.text("path")
	x := &scenes.Texture{Name: name, WrapU: wrap(p.text("tilestyleu")), WrapV: wrap(p.text("tilestylev")), Nearest: p.text("filter") == "nearest"}
	if err := p.setPicture(x); err != nil {
		return surface.WarnMissing(p.reader.in, p.reader.warn, p.place(), "texture "+text.Short(name), err)
	}
	p.model.files[id] = x
	return nil
}

func wrap(style string) scenes.Wrap {
	switch style {
	case "mirror":
		return scenes.Mirror
	case "clamp", "none":
		return scenes.Clamp
	}
	return scenes.Repeat
}

// A decodeResult is a picture in the archive, or the error of reading it.
type decodeResult struct {
	picture *image.NRGBA
	err     error
}

// setPicture sets the picture of a texture. It reads each picture only once.
func (p *parser) setPicture(x *scenes.Texture) error {
	r := p.reader
	d, ok := r.pictures[fileName(x.Name)]
	if !ok {
		if d.picture, d.err = r.decodePicture(x.Name); d.err == nil {
			d.err = r.Reserve(int64(len(d.picture.Pix)))
		}
		if r.pictures == nil {
			r.pictures = make(map[string]decodeResult)
		}
		r.pictures[fileName(x.Name)] = d
	}
	x.Picture = d.picture
	return d.err
}

// decodePicture reads a picture in the archive.
func (r *reader) decodePicture(name string) (*image.NRGBA, error) {
	f, err := r.openPart(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	most := int64(maxPicture)
	if limit := r.in.Options.MaxMemory; limit > 0 {
		most = min(most, max(0, (limit-r.Held)/2))
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, err
	}
	return surface.Decode(r.in, data, r.Held)
}

// maxPicture is the greatest number of bytes that are read from the file of a picture.
const maxPicture = 64 << 20

// topLayer returns the index of the highest layer of multiproperties whose group is known, or -1. Only this layer is
// drawn. The layers below it would be visible only if it were translucent.
func (p *parser) topLayer(g *group) int {
	for i := len(g.of) - 1; i >= 0; i-- {
		if p.groups[g.of[i]] != nil {
			return i
		}
	}
	return -1
}

// setTriangleProperty sets the properties of the last triangle of object o. `by` holds, for each corner, the number of
// its property in the group with the given id. Groups precede the objects that use them.
func (p *parser) setTriangleProperty(o *object, id uint32, by [3]uint32) error {
	g := p.groups[id]
	for range 4 { // a group of multiproperties may refer to another one
		if g == nil || g.kind != ofGroups {
			break
		}
		if most := max(by[0], by[1], by[2]); most >= uint32(len(g.entries)) {
			return p.warnf("property %d of %d left out", most, len(g.entries))
		}
		top := p.topLayer(g)
		if top < 0 {
			return nil
		}
		for k, i := range by {
			by[k] = g.entries[i][top]
		}
		g = p.groups[g.of[top]]
	}
	if g == nil || g.kind == ofGroups {
		return p.warnf("properties %d are not there", id)
	}
	if most := max(by[0], by[1], by[2]); most >= g.n {
		return p.warnf("property %d of %d left out", most, g.n)
	}
	for k := range by {
		by[k] += g.first
	}
	n := len(o.triangles)
	switch g.kind {
	case ofMaterials:
		return setProperty(p.reader, &o.material, n, int32(by[0]), -1)
	case ofColors:
		return setProperty(p.reader, &o.color, n, by, [3]uint32{})
	}
	if err := setProperty(p.reader, &o.texCoord, n, by, [3]uint32{}); err != nil {
		return err
	}
	return setProperty(p.reader, &o.material, n, g.material, -1)
}

// setProperty appends v to list as the property of the n-th triangle. If the list is shorter than n-1, the triangles in
// between get `none`.
func setProperty[T any](r *reader, list *[]T, n int, v, none T) error {
	for len(*list) < n-1 {
		if err := appendCounted(r, list, none); err != nil {
			return err
		}
	}
	return appendCounted(r, list, v)
}

// splitList splits a list at white space.
func splitList(list []byte) []string { return strings.Fields(string(list)) }

// containsAny reports whether text contains any of the parts.
func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
