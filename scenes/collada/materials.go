package collada

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// material returns the index of the material at an address, or -1 if there is none. It reads each material only once.
// It warns about a missing material only if bound is set, which means that the file binds a symbol to the address.
func (r *reader) material(address string, bound bool, in xmltree.Node) (int32, error) {
	n := r.find("material", address)
	if !n.Exists() {
		if bound {
			return -1, r.warnMissing(in, "material", address)
		}
		return -1, nil
	}
	id := n.Attr("id")
	if i, ok := r.materialOf[id]; ok {
		return i, nil
	}
	r.materialOf[id] = -1
	from := n.Child("instance_effect")
	effect := r.find("effect", from.Attr("url"))
	if !effect.Exists() {
		return -1, r.warnMissing(n, "effect", from.Attr("url"))
	}
	if err := r.Reserve(512); err != nil {
		return -1, err
	}
	m, ok := r.effects[effect.Key()]
	if !ok {
		m.BaseColor = [4]float32{1, 1, 1, 1}
		if err := r.readEffect(&m, effect); err != nil {
			return -1, err
		}
		r.effects[effect.Key()] = m
	}
	m.Name = n.Attr("name")
	if m.Name == "" {
		m.Name = id
	}
	m.Name = m.Name[:min(len(m.Name), text.MaxName)]
	r.materialOf[id] = int32(len(r.materials))
	r.materials = append(r.materials, m)
	return r.materialOf[id], nil
}

// readEffect sets the properties of m from the effect that n describes.
func (r *reader) readEffect(m *scenes.Material, n xmltree.Node) error {
	profile := n.Child("profile_COMMON")
	technique := profile.Child("technique")
	for _, model := range []string{"phong", "blinn", "lambert", "constant"} {
		shader := technique.Child(model)
		if !shader.Exists() {
			continue
		}
		e := &effectReader{r, n, profile, technique}
		if model == "constant" {
			m.Unlit = true
			return e.setBaseColor(m, shader.Child("emission"))
		}
		if err := e.setBaseColor(m, shader.Child("diffuse")); err != nil {
			return err
		}
		if c, ok := e.color(shader.Child("emission")); ok {
			light := surface.BaseColor(rgb(c), 1)
			copy(m.Emission[:], light[:3])
		}
		e.setAlpha(m, shader)
		return nil
	}
	m.BaseColor = surface.BaseColor(scenes.DefaultColor, 1)
	return nil
}

// An effectReader is the state of reading one effect.
type effectReader struct {
	*reader
	effect, profile, technique xmltree.Node
}

// rgb returns the 24-bit sRGB colour of components that are in the range 0 to 1.
func rgb(c [4]float64) uint32 {
	return uint32(unit8(c[0]))<<16 | uint32(unit8(c[1]))<<8 | uint32(unit8(c[2]))
}

// param returns the parameter of the effect that has the identifier sid, or xmltree.None if there is none.
func (e *effectReader) param(sid string) xmltree.Node {
	for _, of := range []xmltree.Node{e.technique, e.profile, e.effect} {
		for p := range of.Each("newparam") {
			if p.Attr("sid") == sid {
				return p
			}
		}
	}
	return xmltree.None()
}

// color returns the colour of a shader's property. The property contains the colour, or names a parameter that contains
// it.
func (e *effectReader) color(of xmltree.Node) (c [4]float64, ok bool) {
	c[3] = 1
	n := of.Child("color")
	if ref := of.Child("param"); !n.Exists() && ref.Exists() {
		p := e.param(ref.Attr("ref"))
		for _, name := range []string{"float4", "float3"} {
			if v := p.Child(name); v.Exists() {
				n = v
			}
		}
	}
	return c, numbersOf(n, c[:]) >= 3
}

// setBaseColor reads the base colour of a material, which is a colour or a texture. Colours are taken as sRGB, as in
// OBJ files.
func (e *effectReader) setBaseColor(m *scenes.Material, of xmltree.Node) error {
	if c, ok := e.color(of); ok {
		m.BaseColor = surface.BaseColor(rgb(c), 1)
		return nil
	}
	t := of.Child("texture")
	if !t.Exists() {
		m.BaseColor = surface.BaseColor(scenes.DefaultColor, 1)
		return nil
	}
	x, err := e.texture(t)
	if x == nil {
		m.BaseColor = surface.BaseColor(scenes.DefaultColor, 1)
	}
	m.Texture = x
	return err
}

// setAlpha reads the transparency of a material. A material with alpha 0 stays opaque. Some programs write 0 for opaque
// materials, and an invisible material makes no sense.
func (e *effectReader) setAlpha(m *scenes.Material, shader xmltree.Node) {
	of, amount := shader.Child("transparent"), shader.Child("transparency")
	if !of.Exists() && !amount.Exists() {
		return
	}
	if t := of.Child("texture"); t.Exists() {
		if m.Texture != nil && t.Attr("texture") == shader.Child("diffuse", "texture").Attr("texture") {
			m.Alpha = scenes.AlphaBlend
		}
		return
	}
	c, ok := e.color(of)
	if !ok {
		c = [4]float64{1, 1, 1, 1}
	}
	factor := [1]float64{1}
	numbersOf(amount.Child("float"), factor[:])
	luminance := float64(0.212671*c[0]) + float64(0.71516*c[1]) + float64(0.072169*c[2])
	alpha := 1.0
	switch of.Attr("opaque") {
	case "RGB_ZERO":
		alpha = 1 - float64(luminance*factor[0])
	case "RGB_ONE":
		alpha = luminance * factor[0]
	case "A_ZERO":
		alpha = 1 - float64(c[3]*factor[0])
	default:
		alpha = c[3] * factor[0]
	}
	if alpha > 0 && alpha < 0.998 {
		m.Alpha, m.BaseColor[3] = scenes.AlphaBlend, float32(alpha)
	}
}

// texture returns the texture that t describes. If it cannot be read, texture adds a warning and returns nil. Each
// picture is read only once for all effects.
func (e *effectReader) texture(t xmltree.Node) (*scenes.Texture, error) {
	sampler := e.param(t.Attr("texture")).Child("sampler2D")
	image := sampler.Child("instance_image").Attr("url")
	if ref := sampler.Child("source").Text(); ref != "" {
		image = e.param(ref).Child("surface", "init_from").Text()
		if image == "" {
			image = ref // some programs leave out the element surface
		}
	}
	if image == "" {
		image = t.Attr("texture") // some programs leave out the element sampler2D too
	}
	x := &scenes.Texture{WrapU: wrap(sampler.Child("wrap_s").Text()), WrapV: wrap(sampler.Child("wrap_t").Text()), Nearest: sampler.Child("magfilter").Text() == "NEAREST"}
	from := e.find("image", image)
	if !from.Exists() {
		return nil, e.warnMissing(t, "image", image)
	}
	file := from.Child("init_from").Text()
	if ref := from.Child("init_from", "ref").Text(); ref != "" {
		file = ref
	}
	x.Name = file
	key := fmt.Sprintf("%d %d %t %s", x.WrapU, x.WrapV, x.Nearest, file)
	if known, ok := e.textures[key]; ok {
		return known, nil
	}
	e.textures[key] = nil
	if file == "" {
		return nil, e.warn.Add(placeOf(from), "image %s has no file", text.Short(image))
	}
	picture, err := surface.DecodeBeside(e.in, "", file, e.Held)
	if err != nil {
		return nil, surface.WarnMissing(e.in, e.warn, placeOf(from), "texture "+text.Short(file), err)
	}
	if !e.pictures[picture] {
		e.pictures[picture] = true
		e.Held += int64(len(picture.Pix))
	}
	x.Picture = picture
	e.textures[key] = x
	return x, nil
}

func wrap(name string) scenes.Wrap {
	switch name {
	case "CLAMP", "BORDER", "NONE":
		return scenes.Clamp
	case "MIRROR":
		return scenes.Mirror
	}
	return scenes.Repeat
}
