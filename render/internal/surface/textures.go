package surface

import (
	"image"
	"slices"

	"lockstep/scenes"
)

// A kind is the use of a picture as a texture. The levels of the texture depend on its kind.
type kind struct {
	meaning     pixelKind
	alphaCutoff int // see texture.alphaCutoff
}

// colorOf returns the kind of a material's texture of base colours.
func colorOf(m *scenes.Material) kind {
	switch m.Alpha {
	case scenes.AlphaBlend:
		return kind{meaning: ofBlends}
	case scenes.AlphaMask:
		alphaCutoff := 0
		for alphaCutoff < 256 && float32(m.BaseColor[3]*(float32(alphaCutoff)/255)) < m.AlphaCutoff {
			alphaCutoff++
		}
		return kind{ofMasks, alphaCutoff}
	}
	return kind{}
}

// A source identifies a prepared texture by its picture and its kind.
type source struct {
	picture *image.NRGBA
	kind
}

// A use identifies a prepared texture by its source and by how it is laid on the mesh. Materials share textures of the
// same use.
type use struct {
	source
	wrapU, wrapV scenes.Wrap
	nearest      bool
	minify       scenes.Minify
	uvs          *uvSet
}

// textures prepares the textures of a mesh. Several textures may share a picture.
type textures struct {
	colors, numbers *Colors
	attributes      *scenes.Attributes
	uvSets          map[uvSet]*uvSet
	wanted          []source
	bySource        map[source]*texture
	byUse           map[use]*texture
	// masks holds the least alphas of masks, by picture: the cutoffs of the materials that use the picture as a mask,
	// at most maxMasks. A further material uses the levels for the nearest of these alphas. Without this limit, a file
	// could ask for 256 sets of levels of a picture.
	masks map[*image.NRGBA][]int
}

// maxMasks is the largest number of sets of levels for a picture that is a mask. Files use one or two cutoffs for a
// picture, and tests of cutoffs three.
const maxMasks = 4

// newTextures lists all textures of a mesh, without preparing them.
func newTextures(a *scenes.Attributes, colors *Colors) *textures {
	s := &textures{
		colors: colors, numbers: newNumbers(), attributes: a, uvSets: map[uvSet]*uvSet{},
		bySource: map[source]*texture{}, byUse: map[use]*texture{}, masks: map[*image.NRGBA][]int{},
	}
	forTextures(a, s.addWanted)
	return s
}

// forTextures calls do for all textures of the materials, and for their kinds. Textures may be nil.
func forTextures(a *scenes.Attributes, do func(*scenes.Texture, kind)) {
	for i := range a.Materials {
		m := &a.Materials[i]
		do(m.Texture, colorOf(m))
		do(m.Glow, kind{})
		if f := m.Finish; f != nil && !m.Unlit {
			for i, t := range f.Textures() {
				do(*t, finishKinds[i])
			}
		}
	}
}

// LevelBytes returns an upper bound of the memory for the levels of a mesh's textures, in bytes. The pictures
// themselves are not included. The levels of a picture have a third of the picture's memory, once for each use of the
// picture.
func LevelBytes(a *scenes.Attributes) (n int64) {
	if a == nil || a.MaterialOf == nil {
		return 0
	}
	for _, from := range newTextures(a, nil).wanted {
		width, height := int64(from.picture.Rect.Dx()), int64(from.picture.Rect.Dy())
		n += 4 * (width*height/3 + width + height)
		if from.picture.Stride != int(4*width) || from.meaning == ofAlphas {
			n += 4 * width * height // see levelOf
		}
	}
	return n
}

// Upper bounds of memory in bytes: for a prepared material, for its finish, and for a use of a texture with its entry
// in textures.byUse.
const (
	materialBytes = 96
	finishBytes   = 480
	useBytes      = 1024
)

// PaintBytes returns an upper bound of the memory, in bytes, for the prepared materials of a mesh. The levels of their
// textures are not included.
func PaintBytes(a *scenes.Attributes) (n int64) {
	if a == nil {
		return 0
	}
	for i := range a.Materials {
		n += materialBytes
		if a.Materials[i].Finish != nil {
			n += finishBytes
		}
	}
	s, uses := newTextures(a, nil), make(map[use]bool)
	forTextures(a, func(t *scenes.Texture, k kind) {
		if s.canShow(t) {
			uses[s.useOf(t, k)] = true
		}
	})
	return n + useBytes*int64(len(uses))
}

// addWanted records that texture t is needed as kind k. t may be nil.
func (s *textures) addWanted(t *scenes.Texture, k kind) {
	if !s.canShow(t) {
		return
	}
	if masks := s.masks[t.Picture]; k.meaning == ofMasks && len(masks) < maxMasks && !slices.Contains(masks, k.alphaCutoff) {
		s.masks[t.Picture] = append(masks, k.alphaCutoff)
	}
	from := s.sourceOf(t, k)
	if _, ok := s.bySource[from]; !ok {
		s.wanted, s.bySource[from] = append(s.wanted, from), nil
	}
}

// sourceOf returns the source of texture t for the use as kind k.
func (s *textures) sourceOf(t *scenes.Texture, k kind) source {
	if k.meaning == ofMasks {
		k.alphaCutoff = nearest(s.masks[t.Picture], k.alphaCutoff)
	}
	return source{t.Picture, k}
}

// nearest returns the element of list that is nearest to v. If two are equally near, it returns the first.
func nearest(list []int, v int) int {
	return slices.MinFunc(list, func(a, b int) int { return max(a-v, v-a) - max(b-v, v-b) })
}

// build prepares all textures that are needed, several at the same time.
func (s *textures) build() {
	all := make([]*texture, len(s.wanted))
	each(len(all), func(i int) { all[i] = s.newTexture(s.wanted[i]) })
	for i, from := range s.wanted {
		s.bySource[from] = all[i]
	}
}

func (s *textures) newTexture(from source) *texture {
	t := &texture{levels: []level{levelOf(from.picture)}, meaning: from.meaning, alphaCutoff: from.alphaCutoff, tables: s.colors}
	if t.meaning == ofAlphas {
		t.levels[0] = t.levels[0].ofAlpha()
	}
	if t.meaning == ofNumbers || t.meaning == ofAlphas || t.meaning == ofDirections {
		t.tables = s.numbers
	}
	t.hasAlpha = t.meaning.usesAlpha() && !from.picture.Opaque()
	t.addLevels()
	return t
}

// prepared returns a texture that addWanted has recorded. It returns nil if the mesh cannot show t.
func (s *textures) prepared(t *scenes.Texture, k kind) *texture {
	if !s.canShow(t) {
		return nil
	}
	as := s.useOf(t, k)
	shared, ok := s.byUse[as]
	if !ok {
		own := *s.bySource[as.source]
		own.wrapU, own.wrapV, own.nearest, own.minify = t.WrapU, t.WrapV, t.Nearest, t.Minify
		own.lanes, own.uvs = own.forLoops(), as.uvs
		shared = &own
		s.byUse[as] = shared
	}
	return shared
}

func (s *textures) useOf(t *scenes.Texture, k kind) use {
	return use{s.sourceOf(t, k), t.WrapU, t.WrapV, t.Nearest, t.Minify, s.uvSetOf(t)}
}

// canShow reports whether the mesh has the texture coordinates of texture t. t may be nil.
func (s *textures) canShow(t *scenes.Texture) bool {
	return t != nil && t.Picture != nil && s.texCoordsOf(t).Has()
}

func (s *textures) texCoordsOf(t *scenes.Texture) *scenes.Attribute[[2]float32] {
	if t.Second {
		return &s.attributes.TexCoords2
	}
	return &s.attributes.TexCoords
}

// A uvSet holds the texture coordinates of textures that do not use the first set unchanged.
type uvSet struct {
	of        *scenes.Attribute[[2]float32]
	placement scenes.Placement
	placed    bool // placement is used
}

// uvSetOf returns the texture coordinates of texture t, or nil if they are the first set without a placement. Textures
// with the same texture coordinates share a uvSet.
func (s *textures) uvSetOf(t *scenes.Texture) *uvSet {
	if !t.Second && t.Placement == nil {
		return nil
	}
	set := uvSet{of: s.texCoordsOf(t), placed: t.Placement != nil}
	if set.placed {
		set.placement = *t.Placement
	}
	shared, ok := s.uvSets[set]
	if !ok {
		shared = &set
		s.uvSets[set] = shared
	}
	return shared
}

// corners returns the texture coordinates of the corners of triangle t.
func (s *uvSet) corners(t uint32) (uv [3][2]float32) {
	for k := range uv {
		if uv[k] = s.of.At(k, int(t)); s.placed {
			uv[k] = s.placement.At(uv[k])
		}
	}
	return uv
}
