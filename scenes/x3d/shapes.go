package x3d

import (
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A shapeKey identifies the triangles of a geometry with a material.
type shapeKey struct {
	geometry geometryKey
	material int32
}

// A materialKey identifies a material by its nodes. colored means that corners have colours; the material then has no
// base colour.
type materialKey struct {
	material, texture *node
	colored           bool
	line              bool // the material is for lines and points
}

// addShape appends the shapes of a Shape node to s.
func (r *reader) addShape(s *assembly.Scene, n *node, at state) error {
	all, ok := r.shapesOfNode[n]
	if !ok {
		var err error
		if all, err = r.shapesOf(n); err != nil {
			return err
		}
		r.shapesOfNode[n] = all
	}
	if len(all) == 0 {
		return nil
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: strings.ToValidUTF8(at.name, "?"), Shapes: all, Transform: at.world})
	return r.Reserve(instanceBytes)
}

// shapesOf returns the shapes of a Shape node, which draw its geometry in its material.
func (r *reader) shapesOf(n *node) ([]*assembly.Shape, error) {
	appearance := n.child("Appearance")
	if err := r.reading.Spend(r.in, int64(len(n.below)+appearance.childCount())); err != nil {
		return nil, err
	}
	moved, textured := appearance.child("TextureTransform", "Texture2Transform"), appearance.child("ImageTexture", "MultiTexture") != nil
	for _, c := range n.below {
		if c == appearance {
			continue
		}
		if c.isThin() {
			return r.thinShapes(c, appearance)
		}
		g, err := r.geometry(c, moved, textured)
		if err != nil {
			return nil, err
		}
		if g == nil || g.builder.Len() == 0 {
			continue
		}
		material, err := r.material(appearance, g.colored)
		if err != nil {
			return nil, err
		}
		key := shapeKey{g.key, material}
		all, ok := r.shapes[key]
		if !ok {
			if err := r.Reserve(512); err != nil {
				return nil, err
			}
			all = g.builder.Shapes(func(int32) int32 { return material }, nil)
			r.shapes[key] = all
		}
		return all, nil // a Shape has only one geometry
	}
	return nil, nil
}

// material returns the index of the material of an appearance, or -1 if there is none. It reads each material only
// once.
func (r *reader) material(appearance *node, colored bool) (int32, error) {
	key := materialKey{material: appearance.child("Material", "PhysicalMaterial", "UnlitMaterial", "TwoSidedMaterial"), texture: appearance.child("ImageTexture", "PixelTexture", "MultiTexture"), colored: colored}
	if key.texture != nil && key.texture.kind == "MultiTexture" {
		key.texture = key.texture.child("ImageTexture", "PixelTexture")
	}
	if key.texture == nil {
		key.texture = key.material.child("ImageTexture")
	}
	if key.material == nil && key.texture == nil {
		return -1, nil
	}
	if i, ok := r.materialOf[key]; ok {
		return i, nil
	}
	if err := r.Reserve(512); err != nil {
		return -1, err
	}
	m := scenes.Material{BaseColor: surface.BaseColor(scenes.DefaultColor, 1)}
	if key.material != nil {
		look, err := r.lookOf(key.material)
		if err != nil {
			return -1, err
		}
		m = look.material
	}
	x, err := r.texture(key.texture)
	if err != nil {
		return -1, err
	}
	m.Texture = x
	if x != nil || colored {
		m.BaseColor = [4]float32{1, 1, 1, m.BaseColor[3]}
	}
	i := int32(len(r.materials))
	r.materials = append(r.materials, m)
	r.materialOf[key] = i
	return i, nil
}

// A look holds the properties that the fields of a material node describe. glow is the emissive colour, in which lines
// are drawn.
type look struct {
	material scenes.Material
	glow     [3]float64
}

// lookOf returns the look of a material node. It reads each node only once, because a node may be used with many
// textures and its fields may be long.
func (r *reader) lookOf(n *node) (*look, error) {
	if l, ok := r.looks[n]; ok {
		return l, nil
	}
	if err := r.Reserve(512); err != nil {
		return nil, err
	}
	l := &look{}
	n.vector("emissiveColor", l.glow[:])
	setColors(&l.material, n)
	r.looks[n] = l
	return l, nil
}

// setColors sets the colours of a material. Colours are taken as sRGB, as in OBJ.
func setColors(m *scenes.Material, n *node) {
	m.Name = n.name
	base, glow := [3]float64{0.8, 0.8, 0.8}, [3]float64{}
	switch n.kind {
	case "UnlitMaterial":
		m.Unlit = true
		base = [3]float64{1, 1, 1}
		n.vector("emissiveColor", base[:])
	case "PhysicalMaterial":
		base = [3]float64{1, 1, 1}
		n.vector("baseColor", base[:])
		n.vector("emissiveColor", glow[:])
	default:
		n.vector("diffuseColor", base[:])
		n.vector("emissiveColor", glow[:])
	}
	m.BaseColor = surface.BaseColor(rgb(base), 1)
	light := surface.BaseColor(rgb(glow), 1)
	copy(m.Emission[:], light[:3])
	if alpha := 1 - n.number("transparency", 0); alpha > 0 && alpha < 0.998 { // alpha 0 is a mistake
		m.Alpha, m.BaseColor[3] = scenes.AlphaBlend, float32(alpha)
	}
}

// rgb returns the 24-bit sRGB colour of components that are in the range 0 to 1.
func rgb(c [3]float64) uint32 {
	return uint32(unit8(c[0]))<<16 | uint32(unit8(c[1]))<<8 | uint32(unit8(c[2]))
}

// unit8 converts a colour component from the range 0 to 1 to the range 0 to 255. NaN becomes 0.
func unit8(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}

// texture returns the texture of node n, whose picture is at the first address that has one. If no address has a
// picture, it adds a warning and returns nil. It reads each node only once.
func (r *reader) texture(n *node) (*scenes.Texture, error) {
	if n == nil {
		return nil, nil
	}
	if x, ok := r.textures[n]; ok {
		return x, nil
	}
	r.textures[n] = nil
	if n.kind != "ImageTexture" {
		return nil, r.warn.Add(bytePlace(n.at), "%s is not drawn", n.kind)
	}
	x := &scenes.Texture{}
	if !n.flag("repeatS", true) || n.fieldWord("wrapS") == "CLAMP" {
		x.WrapU = scenes.Clamp
	}
	if !n.flag("repeatT", true) || n.fieldWord("wrapT") == "CLAMP" {
		x.WrapV = scenes.Clamp
	}
	urls := n.strings("url")
	var failed error
	for _, url := range urls {
		if url == "" {
			continue
		}
		picture, err := surface.DecodeBeside(r.in, "", url, r.Held)
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if !r.pictures[picture] {
			r.pictures[picture] = true
			if err := r.Reserve(int64(len(picture.Pix))); err != nil {
				return nil, err
			}
		}
		x.Name, x.Picture = url, picture
		r.textures[n] = x
		return x, nil
	}
	if failed == nil { // no address: assimp writes this for materials without a texture
		return nil, nil
	}
	return nil, surface.WarnMissing(r.in, r.warn, bytePlace(n.at), "texture "+text.Short(urls[0]), failed)
}
