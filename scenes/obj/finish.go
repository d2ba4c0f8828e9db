package obj

import (
	"errors"
	"image"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A shine has the statements of a material about reflection. Numbers that it does not state are negative.
type shine struct {
	specular               [3]float32 // Ks
	states                 bool       // Ks is stated
	exponent               float64    // Ns, of a highlight in Phong's manner
	model                  int        // illum
	metallic, roughness    float64    // Pm and Pr, which some programs write
	relief, normals, rough textureRef
	steepness              float64 // -bm of the relief
}

func newShine() shine {
	return shine{exponent: -1, model: -1, metallic: -1, roughness: -1, steepness: 1}
}

// parse takes a statement of a file of materials, if it is one of those that say how surfaces mirror.
func (s *shine) parse(word string, f *text.Fields) {
	number := func(to *float64) {
		if v, ok := f.Float(); ok && v >= 0 {
			*to = v
		}
	}
	switch word {
	case "ks":
		s.specular, s.states = emission(f), true
	case "ns":
		number(&s.exponent)
	case "illum":
		if v, ok := f.Float(); ok && v >= 0 && v < 100 {
			s.model = int(v)
		}
	case "pm":
		number(&s.metallic)
	case "pr":
		number(&s.roughness)
	case "map_pr":
		s.rough = parseTexture(f)
	case "map_bump", "bump":
		s.steepness = steepnessOf(*f)
		s.relief = parseTexture(f)
	case "norm", "map_kn":
		s.normals = parseTexture(f)
	}
}

// steepnessOf returns the number behind -bm in a statement, 1 without it.
func steepnessOf(f text.Fields) float64 {
	for f.More() {
		if string(f.Word()) == "-bm" {
			if v, ok := f.Float(); ok {
				return max(-maxSteepness, min(v, maxSteepness))
			}
			break
		}
	}
	return 1
}

// Models of light (illum) without a highlight: colour alone, and diffuse light.
const (
	modelColor   = 0
	modelDiffuse = 1
)

// shines reports whether a material says that it mirrors.
func (s *shine) shines() bool {
	if s.metallic >= 0 || s.roughness >= 0 || s.rough.name != "" {
		return true
	}
	return max(s.specular[0], s.specular[1], s.specular[2]) > 0 && s.exponent > 0 && s.model != modelColor && s.model != modelDiffuse
}

// usualRoughness is that of surfaces with a relief of which nothing else is said.
const usualRoughness = 0.65

// finish returns how a material mirrors; nil: as plaster.
func (s *shine) finish() *scenes.Finish {
	relief := s.relief.name != "" || s.normals.name != ""
	if !s.shines() && !relief {
		return nil
	}
	f := &scenes.Finish{NormalScale: 1, OcclusionAmount: 1, Roughness: usualRoughness}
	for c := range f.Specular {
		f.Specular[c] = scenes.PlasticSpecular
	}
	if s.shines() && s.exponent > 0 {
		// The exponent of a highlight of the same width. Source: Walter and others, Microfacet Models for Refraction, EGSR
		// 2007, section 5.2: alpha squared is 2 / (exponent + 2), and roughness the root of alpha.
		f.Roughness = float32(math.Sqrt(math.Sqrt(2 / (s.exponent + 2))))
	}
	if s.metallic < 0 && s.states && s.shines() {
		// Half is the grey that programs write for plastic.
		for c, v := range s.specular {
			f.Specular[c] = min(1, float32(2*scenes.PlasticSpecular*v))
		}
	}
	if s.metallic >= 0 {
		f.Metallic = float32(min(s.metallic, 1))
	}
	if s.roughness >= 0 {
		f.Roughness = float32(min(s.roughness, 1))
	} else if s.rough.name != "" {
		f.Roughness = 1
	}
	return f
}

// finish gives a material its finish. at is how its other textures are placed: those of the finish have to lie there, too.
func (r *reader) finish(m *scenes.Material, mat *material, at textureMap) (err error) {
	if m.Finish = mat.shine.finish(); m.Finish == nil {
		return nil
	}
	s := &mat.shine
	if s.rough.name != "" && s.rough.at == at {
		if err := r.roughen(m.Finish, mat); err != nil {
			return err
		}
	}
	ref, normals := s.normals, true
	if ref.name == "" {
		ref, normals = s.relief, false
	}
	if s.rough.name != "" && s.rough.at != at || ref.name != "" && ref.at != at {
		if err := r.noteOtherwise(m.Name); err != nil {
			return err
		}
	}
	if ref.name == "" || ref.at != at {
		return nil
	}
	t, err := r.fine(mat, ref)
	if t == nil || err != nil {
		return err
	}
	if normals || isNormals(t.Picture) { // many programs write these as map_Bump
		m.Finish.Normals, m.Finish.NormalScale = t, float32(s.steepness)
		return nil
	}
	m.Finish.Normals = t
	return r.remake(t, remade{t.Picture, true, s.steepness})
}

// A remade is a picture that another is made of: its relief, or what it says of roughness.
type remade struct {
	of        *image.NRGBA
	relief    bool
	steepness float64
}

// remake gives a texture the picture that is made of its own, once for all materials.
func (r *reader) remake(t *scenes.Texture, what remade) error {
	if p := r.materials.remade[what]; p != nil {
		t.Picture = p
		return nil
	}
	n := int64(len(t.Picture.Pix))
	if err := r.in.Allow(0, r.held()+n); err != nil {
		return err
	}
	r.materials.held += n
	if what.relief {
		t.Picture = reliefOf(what.of, what.steepness)
	} else {
		t.Picture = roughnessOf(what.of)
	}
	r.materials.remade[what] = t.Picture
	return nil
}

// roughen gives a finish the texture of its roughness, which says nothing of metal.
func (r *reader) roughen(f *scenes.Finish, mat *material) error {
	t, err := r.fine(mat, mat.shine.rough)
	if f.Surface = t; t == nil || err != nil || f.Metallic == 0 {
		return err
	}
	return r.remake(t, remade{of: t.Picture})
}

// roughnessOf returns a picture of roughness that leaves metal as it is.
func roughnessOf(p *image.NRGBA) *image.NRGBA {
	out := *p
	out.Pix = slices.Clone(p.Pix)
	for i := 2; i < len(out.Pix); i += 4 { // blue is how much of the metal there is
		out.Pix[i] = 255
	}
	return &out
}

// noteOtherwise notes once that a relief or a roughness is not drawn.
func (r *reader) noteOtherwise(name string) error {
	if r.materials.otherwise {
		return nil
	}
	r.materials.otherwise = true
	return r.Warn.Add(r.place(), "material %s has a relief or a roughness (map_Bump, norm, map_Pr) that is placed otherwise than its colour, which is not drawn", text.Short(name))
}

// fine is texture for what only makes a surface finer: many files name pictures that never left the machine they were made
// on, and nobody misses these.
func (r *reader) fine(mat *material, ref textureRef) (*scenes.Texture, error) {
	name, picture, err := r.picture(mat, ref.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, surface.Missing(r.in, r.Warn, r.place(), "texture "+text.Short(name), err)
	}
	return &scenes.Texture{Name: name, Picture: picture, WrapU: ref.wrap, WrapV: ref.wrap}, nil
}

// placedBy returns the texture of the finish that is placed, if the material has no others.
func (s *shine) placedBy() textureRef {
	for _, ref := range []textureRef{s.normals, s.relief, s.rough} {
		if ref.name != "" {
			return ref
		}
	}
	return textureRef{at: plainMap}
}

// shinyRow appends what Write says of a finish.
func shinyRow(row []byte, f *scenes.Finish) []byte {
	if f == nil {
		return row
	}
	number := func(row []byte, v float32) []byte { return strconv.AppendFloat(row, float64(v), 'g', -1, 32) }
	row = append(row, "\nKs"...)
	for _, v := range f.Specular {
		row = number(append(row, ' '), v/(2*scenes.PlasticSpecular))
	}
	row = number(append(row, "\nPr "...), f.Roughness)
	return number(append(row, "\nPm "...), f.Metallic)
}

// reliefIn returns the normals of a finish, nil without them.
func reliefIn(f *scenes.Finish) *scenes.Texture {
	if f == nil {
		return nil
	}
	return f.Normals
}

// emission reads a light of one part or three, none below 0.
func emission(f *text.Fields) (light [3]float32) {
	v, ok := f.Float()
	for c := range light {
		if ok && v > 0 {
			light[c] = float32(min(v, math.MaxFloat32))
		}
		if next, more := f.Float(); more {
			v = next
		}
	}
	return light
}
