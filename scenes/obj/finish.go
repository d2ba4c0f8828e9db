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

// A reflection holds the statements of a material about reflection. A number is negative if its statement is missing.
type reflection struct {
	specular               [3]float32 // Ks
	hasSpecular            bool       // the material has a statement Ks
	exponent               float64    // Ns, the exponent of a Phong highlight
	model                  int        // illum
	metallic, roughness    float64    // Pm and Pr, which some programs add to the format
	relief, normals, rough textureRef
	steepness              float64 // -bm, a factor by which the heights of a bump map are multiplied
}

func newReflection() reflection {
	return reflection{exponent: -1, model: -1, metallic: -1, roughness: -1, steepness: 1}
}

// parse handles a statement of a material if it is about reflection. word is the first word of the statement, and f is
// the rest of the line.
func (s *reflection) parse(word string, f *text.Fields) {
	number := func(to *float64) {
		if v, ok := f.Float(); ok && v >= 0 {
			*to = v
		}
	}
	switch word {
	case "ks":
		s.specular, s.hasSpecular = parseEmission(f), true
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

// steepnessOf returns the number after -bm in a statement, or 1 if -bm is missing.
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

// Lighting models (illum) without highlights: plain colour, and diffuse light only.
const (
	modelColor   = 0
	modelDiffuse = 1
)

// isReflective reports whether any statement makes the material reflect.
func (s *reflection) isReflective() bool {
	if s.metallic >= 0 || s.roughness >= 0 || s.rough.name != "" {
		return true
	}
	return max(s.specular[0], s.specular[1], s.specular[2]) > 0 && s.exponent > 0 && s.model != modelColor && s.model != modelDiffuse
}

// defaultRoughness is the roughness of a material that has a bump map but does not state its roughness.
const defaultRoughness = 0.65

// finish returns how the material reflects, without textures, or nil if it is matt like plaster.
func (s *reflection) finish() *scenes.Finish {
	relief := s.relief.name != "" || s.normals.name != ""
	if !s.isReflective() && !relief {
		return nil
	}
	f := &scenes.Finish{NormalScale: 1, OcclusionAmount: 1, Roughness: defaultRoughness}
	for c := range f.Specular {
		f.Specular[c] = scenes.PlasticSpecular
	}
	if s.isReflective() && s.exponent > 0 {
		// The highlight gets the width that the exponent describes. Source: Walter and others, Microfacet Models for
		// Refraction, EGSR 2007, section 5.2. There, alpha squared is 2 / (exponent + 2). The roughness is the square
		// root of alpha.
		f.Roughness = float32(math.Sqrt(math.Sqrt(2 / (s.exponent + 2))))
	}
	if s.metallic < 0 && s.hasSpecular && s.isReflective() {
		// Programs write Ks 0.5 for plastic. So a Ks of 0.5 becomes PlasticSpecular.
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

// setFinish sets how a material reflects. `at` is the placement of the other textures of the material. A texture of
// reflection with a different placement is left out, with a warning.
func (r *reader) setFinish(m *scenes.Material, mat *material, at textureMap) (err error) {
	if m.Finish = mat.reflection.finish(); m.Finish == nil {
		return nil
	}
	s := &mat.reflection
	if s.rough.name != "" && s.rough.at == at {
		if err := r.setRoughness(m.Finish, mat); err != nil {
			return err
		}
	}
	ref, normals := s.normals, true
	if ref.name == "" {
		ref, normals = s.relief, false
	}
	if s.rough.name != "" && s.rough.at != at || ref.name != "" && ref.at != at {
		if err := r.warnRelief(m.Name); err != nil {
			return err
		}
	}
	if ref.name == "" || ref.at != at {
		return nil
	}
	t, err := r.finishTexture(mat, ref)
	if t == nil || err != nil {
		return err
	}
	if normals || isNormals(t.Picture) { // many programs name normal maps in map_Bump
		m.Finish.Normals, m.Finish.NormalScale = t, float32(s.steepness)
		return nil
	}
	m.Finish.Normals = t
	return r.derivePicture(t, derivedKey{t.Picture, true, s.steepness})
}

// A derivedKey identifies a picture that is computed from the picture `of`. If relief is set, `of` is a height map, and
// its normal map is computed. Otherwise the computed picture is a copy of `of` in which only the roughness varies.
type derivedKey struct {
	of        *image.NRGBA
	relief    bool
	steepness float64
}

// derivePicture replaces the picture of texture t by one that is computed from it. Each picture is computed only once
// for all materials.
func (r *reader) derivePicture(t *scenes.Texture, what derivedKey) error {
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

// setRoughness sets the texture of roughness of f. It makes sure that this texture does not affect how metallic the
// surface is.
func (r *reader) setRoughness(f *scenes.Finish, mat *material) error {
	t, err := r.finishTexture(mat, mat.reflection.rough)
	if f.Surface = t; t == nil || err != nil || f.Metallic == 0 {
		return err
	}
	return r.derivePicture(t, derivedKey{of: t.Picture})
}

// roughnessOf returns a copy of p whose blue channel, which makes the surface metallic, has no effect.
func roughnessOf(p *image.NRGBA) *image.NRGBA {
	out := *p
	out.Pix = slices.Clone(p.Pix)
	for i := 2; i < len(out.Pix); i += 4 { // blue: a factor of how metallic the surface is; 255 stands for 1
		out.Pix[i] = 255
	}
	return &out
}

// warnRelief warns that the bump map or the roughness of the material called name is not drawn. It warns only once per
// file.
func (r *reader) warnRelief(name string) error {
	if r.materials.warnedRelief {
		return nil
	}
	r.materials.warnedRelief = true
	return r.Warn.Add(r.place(), "material %s has a relief or a roughness (map_Bump, norm, map_Pr) that is placed otherwise than its colour, which is not drawn", text.Short(name))
}

// finishTexture is like texture, but for textures of reflection. It does not warn about missing files. Many files name
// pictures that were never distributed, and their absence is hardly visible.
func (r *reader) finishTexture(mat *material, ref textureRef) (*scenes.Texture, error) {
	name, picture, err := r.picture(mat, ref.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, surface.WarnMissing(r.in, r.Warn, r.place(), "texture "+text.Short(name), err)
	}
	return &scenes.Texture{Name: name, Picture: picture, WrapU: ref.wrap, WrapV: ref.wrap}, nil
}

// placementTexture returns the texture of reflection whose placement is used if the material has no other texture.
func (s *reflection) placementTexture() textureRef {
	for _, ref := range []textureRef{s.normals, s.relief, s.rough} {
		if ref.name != "" {
			return ref
		}
	}
	return textureRef{at: plainMap}
}

// appendFinish appends to row the statements by which Write stores f.
func appendFinish(row []byte, f *scenes.Finish) []byte {
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

// reliefOfFinish returns the normal map of f, or nil if it has none.
func reliefOfFinish(f *scenes.Finish) *scenes.Texture {
	if f == nil {
		return nil
	}
	return f.Normals
}

// parseEmission reads one number for all three channels, or three numbers. Negative numbers become 0.
func parseEmission(f *text.Fields) (light [3]float32) {
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
