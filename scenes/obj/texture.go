package obj

import (
	"image"
	"math"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A textureMap is the placement of a texture. Texture coordinates, with v measured from the lower edge, are multiplied
// by scale (-s) and then moved by offset (-o).
type textureMap struct{ scale, offset [2]float64 }

// A textureRef holds the name and the options of a texture from a statement such as map_Kd.
type textureRef struct {
	name    string // file name; empty: no texture
	wrap    scenes.Wrap
	at      textureMap
	channel byte // -imfchan: one of r, g, b, m (alpha), l (luminance) and z (depth); 0: not stated
}

var plainMap = textureMap{scale: [2]float64{1, 1}}

// textureOptions maps each option of a texture to the count of numbers that may follow it. -1 means that one word
// follows instead.
var textureOptions = map[string]int{
	"-o": 3, "-s": 3, "-t": 3, "-mm": 2, "-bm": 1, "-boost": 1, "-texres": 1,
	"-clamp": -1, "-blendu": -1, "-blendv": -1, "-cc": -1, "-imfchan": -1, "-type": -1, "-colorspace": -1,
}

// parseTexture parses the rest of a statement such as map_Kd: options, which start with a minus sign, and a file name,
// which may contain spaces. It uses -clamp, -s, -o and -imfchan, and skips all other options.
func parseTexture(f *text.Fields) textureRef {
	t := textureRef{at: plainMap}
	for f.More() && peek(*f)[0] == '-' {
		option := strings.ToLower(string(f.Word()))
		most := textureOptions[option]
		if most < 0 {
			word := strings.ToLower(string(f.Word()))
			switch {
			case option == "-clamp" && word == "on":
				t.wrap = scenes.Clamp
			case option == "-imfchan" && word != "":
				t.channel = word[0]
			}
		}
		for i := range most {
			v, ok := f.Float()
			if !ok {
				break
			}
			switch {
			case i > 1:
			case option == "-s":
				t.at.scale[i] = v
			case option == "-o":
				t.at.offset[i] = v
			}
		}
	}
	t.name = restAsName(f)
	return t
}

// texture reads a texture that material mat names. If the texture cannot be read, it adds a warning and returns nil.
func (r *reader) texture(mat *material, ref textureRef) (*scenes.Texture, error) {
	name, picture, err := r.picture(mat, ref.name)
	if err != nil {
		return nil, surface.WarnMissing(r.in, r.Warn, r.place(), "texture "+text.Short(name), err)
	}
	return &scenes.Texture{Name: name, Picture: picture, WrapU: ref.wrap, WrapV: ref.wrap}, nil
}

// picture reads the picture that material mat names. It tries the whole name first. Then it tries the part in quotes
// or before a comment. Finally it tries the last word, because options that the reader does not know may precede the
// name.
func (r *reader) picture(mat *material, texture string) (name string, picture *image.NRGBA, err error) {
	names := []string{trimName(texture)}
	if names[0] != texture && texture[0] != '"' {
		names = []string{texture, names[0]}
	}
	if words := strings.Fields(names[len(names)-1]); len(words) > 1 {
		names = append(names, words[len(words)-1])
	}
	for i, one := range names {
		kept := mat.folder + "\n" + one
		picture = r.materials.pictures[kept]
		if picture != nil {
			return one, picture, nil
		}
		var oneErr error
		if picture, oneErr = surface.DecodeBeside(r.in, mat.folder, one, r.held()); oneErr == nil {
			r.materials.pictures[kept] = picture
			return one, picture, nil
		}
		if i == 0 {
			err = oneErr
		}
	}
	return names[0], nil, err
}

// placeTextures applies the placement of textures to the texture coordinates of the triangles. Materials with
// different placements may share texture coordinates. placeTextures then makes a copy of the shared coordinates for
// each material.
func (r *reader) placeTextures(m *scenes.Mesh) error {
	a := m.Attributes
	if len(r.materials.maps) == 0 || a.MaterialOf == nil || !a.TexCoords.Has() {
		return nil
	}
	of := &a.TexCoords
	before := len(of.Values)
	if err := r.in.Allow(int64(m.Len()), r.Held()+36*int64(m.Len())+16*int64(before)); err != nil {
		return err
	}
	// For each pair of texture coordinates, copies holds the index of the newest copy. owners holds the material for
	// which that copy was made.
	copies, owners := make([]uint32, before), make([]int32, before)
	for t, mat := range a.MaterialOf {
		at, ok := r.materials.maps[mat]
		if !ok {
			continue
		}
		for k := range 3 {
			i := of.Index[k][t]
			if i == 0 {
				continue // skips a corner without texture coordinates
			}
			if copies[i] == 0 || owners[i] != mat {
				copies[i], owners[i] = uint32(len(of.Values)), mat
				of.Values = append(of.Values, at.apply(of.Values[i]))
			}
			of.Index[k][t] = copies[i]
		}
	}
	return nil
}

// apply applies the placement to texture coordinates, whose v is measured from the upper edge.
func (at *textureMap) apply(uv [2]float32) [2]float32 {
	u, v := float64(uv[0]), 1-float64(uv[1])
	return surface.TexCoord([2]float64{
		float64(u*at.scale[0]) + at.offset[0],
		1 - (float64(v*at.scale[1]) + at.offset[1]),
	})
}

// placementOf returns the map from the texture coordinates of the mesh to those of a texture with the placement
// `other`. The texture coordinates of the mesh already have the placement `at`. The map is nil if both placements are
// the same. ok is false if there is no such map.
func (at *textureMap) placementOf(other *textureMap) (p *scenes.Placement, ok bool) {
	if *at == *other {
		return nil, true
	}
	p = new(scenes.Placement)
	for axis := range p {
		scale := other.scale[axis] / at.scale[axis]
		offset := other.offset[axis] - float64(scale*at.offset[axis])
		if axis == 1 {
			offset = 1 - scale - offset // v counts from the upper edge
		}
		if !(math.Abs(scale) <= math.MaxFloat32 && math.Abs(offset) <= math.MaxFloat32) {
			return nil, false
		}
		p[axis][axis], p[axis][2] = float32(scale), float32(offset)
	}
	return p, true
}
