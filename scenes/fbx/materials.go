package fbx

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A materialKey identifies a material together with a texture. In old versions of the format, a texture belongs to a
// model and covers all materials of the model.
type materialKey struct{ material, texture *object }

// boundMaterials holds the materials of a model, in the order in which the file connects them to the model.
type boundMaterials struct {
	materials []int32
	key       string // the list of materials as a string, to be the key of a map
}

// materialsOf returns the materials of a model. It computes them only once per model.
func (r *reader) materialsOf(model *object) (*boundMaterials, error) {
	if b, ok := r.bound[model]; ok {
		return b, nil
	}
	var texture *object
	for _, l := range model.children {
		if l.to.kind() == "Texture" && texture == nil {
			texture = l.to
		}
	}
	b := new(boundMaterials)
	var words strings.Builder
	for _, l := range model.children {
		if l.to.kind() != "Material" || len(b.materials) == maxMaterials {
			continue
		}
		m, err := r.material(l.to, texture)
		if err != nil {
			return nil, err
		}
		b.materials = append(b.materials, m)
		words.WriteString(strconv.Itoa(int(m)))
		words.WriteByte(' ')
	}
	b.key = words.String()
	r.bound[model] = b
	return b, r.Reserve(int64(128 + 2*len(b.key) + 8*len(b.materials)))
}

// A shading holds the properties of a material.
type shading struct {
	diffuse, emissive, transparent [3]float64
	diffuseFactor, emissiveFactor  float64
	opacity, transparency          float64 // -1: missing in the file
}

// material returns the index of the material that object o describes. texture is the texture of the model, or nil. Each
// pair of o and texture is read only once.
func (r *reader) material(o *object, texture *object) (int32, error) {
	key := materialKey{o, texture}
	if i, ok := r.materialOf[key]; ok {
		return i, nil
	}
	if err := r.Reserve(512); err != nil {
		return -1, err
	}
	grey := float64(scenes.DefaultColor&255) / 255
	sh := shading{diffuse: [3]float64{grey, grey, grey}, diffuseFactor: 1, emissiveFactor: 1, opacity: -1, transparency: -1}
	for p := range properties(o.node) {
		sh.setProperty(&p)
	}
	m := scenes.Material{Name: strings.ToValidUTF8(trimClass(o.name), "?")}
	m.BaseColor = surface.BaseColor(rgb(sh.diffuse, sh.diffuseFactor), 1)
	light := surface.BaseColor(rgb(sh.emissive, sh.emissiveFactor), 1)
	copy(m.Emission[:], light[:3])
	if alpha := sh.alpha(); alpha < 0.998 {
		m.Alpha, m.BaseColor[3] = scenes.AlphaBlend, float32(alpha)
	}
	if err := r.setTextures(&m, o, texture); err != nil {
		return -1, err
	}
	i := int32(len(r.materials))
	r.materials = append(r.materials, m)
	r.materialOf[key] = i
	return i, nil
}

// setProperty sets a property of a material. Some programs write a property under its old and its new name; both have
// the same value.
func (s *shading) setProperty(p *property) {
	v, isVector := p.vector()
	x, isNumber := p.number(0)
	switch p.name {
	case "DiffuseColor", "Diffuse":
		if isVector {
			s.diffuse = v
		}
	case "EmissiveColor", "Emissive":
		if isVector {
			s.emissive = v
		}
	case "TransparentColor":
		if isVector {
			s.transparent = v
		}
	case "DiffuseFactor":
		if isNumber {
			s.diffuseFactor = x
		}
	case "EmissiveFactor":
		if isNumber {
			s.emissiveFactor = x
		}
	case "Opacity":
		if isNumber {
			s.opacity = x
		}
	case "TransparencyFactor":
		if isNumber {
			s.transparency = x
		}
	}
}

// alpha returns the alpha of a material, which files store as opacity or as transparency. An alpha of 0 becomes 1. Some
// programs write 0 for opaque materials, and an invisible material makes no sense.
func (s *shading) alpha() float64 {
	alpha := s.opacity
	if alpha < 0 {
		mean := (s.transparent[0] + s.transparent[1] + s.transparent[2]) / 3
		alpha = 1 - mean*max(0, s.transparency)
	}
	if !(alpha > 0) {
		return 1
	}
	return min(alpha, 1)
}

// rgb multiplies the components, which are from 0 to 1, by factor and returns them as a 24-bit sRGB colour.
func rgb(c [3]float64, factor float64) uint32 {
	return uint32(unit8(c[0]*factor))<<16 | uint32(unit8(c[1]*factor))<<8 | uint32(unit8(c[2]*factor))
}

// setTextures sets the textures of the material that object o describes. texture is the texture of its model, or nil.
func (r *reader) setTextures(m *scenes.Material, o *object, texture *object) error {
	diffuse, emissive := texture, (*object)(nil)
	for _, l := range o.children {
		if l.to.kind() != "Texture" && l.to.kind() != "LayeredTexture" {
			continue
		}
		switch {
		case strings.HasSuffix(l.property, "DiffuseColor") || strings.HasSuffix(l.property, "baseColor") || strings.HasSuffix(l.property, "base_color_map") || strings.HasSuffix(l.property, "TEX_color_map"):
			diffuse = l.to
		case strings.HasSuffix(l.property, "EmissiveColor"):
			emissive = l.to
		}
	}
	x, err := r.texture(diffuse)
	if err != nil {
		return err
	}
	if x != nil {
		m.Texture = x
		alpha := m.BaseColor[3]
		m.BaseColor = [4]float32{1, 1, 1, alpha}
	}
	if x, err = r.texture(emissive); err != nil {
		return err
	}
	if x != nil {
		m.Glow = x
		m.Emission = [3]float32{1, 1, 1}
	}
	return nil
}

// texture returns the texture that object o describes. It reads each texture only once. If the texture cannot be read,
// it adds a warning and returns nil.
func (r *reader) texture(o *object) (*scenes.Texture, error) {
	if o == nil {
		return nil, nil
	}
	if x, ok := r.textures[o]; ok {
		return x, nil
	}
	r.textures[o] = nil
	if o.kind() == "LayeredTexture" {
		for _, l := range o.children {
			if l.to.kind() == "Texture" {
				x, err := r.texture(l.to)
				r.textures[o] = x
				return x, err
			}
		}
		return nil, nil
	}
	video := r.videoOf(o)
	x := &scenes.Texture{Name: fileOf(o.node)}
	for p := range properties(o.node) {
		if v, ok := p.number(0); ok && v == 1 {
			switch p.name {
			case "WrapModeU":
				x.WrapU = scenes.Clamp
			case "WrapModeV":
				x.WrapV = scenes.Clamp
			}
		}
	}
	picture, err := r.picture(video, o)
	if err != nil {
		return nil, surface.WarnMissing(r.in, r.warn, r.placeOf(o.node), "texture "+text.Short(x.Name), err)
	}
	if !r.pictures[picture] {
		r.pictures[picture] = true
		if err := r.Reserve(int64(len(picture.Pix))); err != nil {
			return nil, err
		}
	}
	x.Picture = picture
	r.textures[o] = x
	return x, nil
}

// videoOf returns the object with the picture of a texture. It is the object connected to the texture, or else the
// object that the texture names.
func (r *reader) videoOf(o *object) *object {
	for _, l := range o.children {
		if l.to.kind() == "Video" {
			return l.to
		}
	}
	media := o.node.child("Media")
	if v := r.objects[media.key(media.value(0))]; v != nil && v.kind() == "Video" {
		return v
	}
	return nil
}

// fileOf returns the name of the picture file of a texture or video.
func fileOf(n node) string {
	for _, name := range []string{"RelativeFilename", "FileName", "Filename"} {
		if file := n.child(name).text(0); file != "" {
			return file
		}
	}
	return ""
}

// picture decodes the picture of a texture. The picture is either stored in the video, or in a file that the texture or
// the video names.
func (r *reader) picture(video, texture *object) (*image.NRGBA, error) {
	file := fileOf(texture.node)
	if video != nil {
		content, err := r.decodeContent(video.node.child("Content"))
		if err != nil {
			return nil, err
		}
		if len(content) > 0 {
			return surface.Decode(r.in, content, r.Held)
		}
		if file == "" {
			file = fileOf(video.node)
		}
	}
	if file == "" {
		return nil, errors.New("it names no file")
	}
	return surface.DecodeBeside(r.in, "", file, r.Held)
}

// decodeContent returns the bytes of a picture in the file. A text stores them as several strings of base64.
func (r *reader) decodeContent(n node) (out []byte, err error) {
	for v := range n.values() {
		switch {
		case v.kind == 'R':
			return v.raw, nil
		case v.kind != 'S' || len(v.raw) == 0:
			continue
		}
		if err := r.Reserve(int64(len(v.raw))); err != nil {
			return nil, err
		}
		piece, err := base64.RawStdEncoding.AppendDecode(out, bytes.TrimRight(v.raw, "=")) // some programs write too many padding characters
		if err != nil {
			return nil, err
		}
		out = piece
	}
	return out, nil
}
