package obj

import (
	"image"

	"lockstep/scenes"
)

// A mask is a picture with the colours of one and the alpha of another, and what that alpha means.
type mask struct {
	picture *image.NRGBA // nil: all of it is opaque, or nothing would be there
	soft    bool         // much of it is neither there nor not
}

// A maskOf says of which pictures a mask is made. Without colours it is white.
type maskOf struct {
	colors, alpha *image.NRGBA
	channel       byte // see textureRef
}

const (
	// maskCutoff is the alpha below which a mask has a hole, as in glTF.
	maskCutoff = 0.5
	// softShare is the part of all pixels, one in so many, that may lie between holes and what is
	// there in a mask: the edges of leaves do. Of more, as in a pane of glass, alpha is blended.
	softShare = 4
)

// mask gives a material the alpha of its map_d: a mask, or blended where that is soft or d says so.
func (r *reader) mask(m *scenes.Material, mat *material) error {
	alpha, err := r.texture(mat, mat.mask)
	if alpha == nil || err != nil {
		return err
	}
	var colors *image.NRGBA
	if m.Texture != nil {
		colors = m.Texture.Picture
	}
	of := maskOf{colors, alpha.Picture, mat.mask.channel}
	made, ok := r.materials.masked[of]
	if !ok {
		if made, err = r.makeMask(of); err != nil {
			return err
		}
		r.materials.masked[of] = made
	}
	if made.picture == nil {
		return nil
	}
	if m.Texture == nil {
		m.Texture = alpha
	}
	m.Texture.Picture = made.picture
	if m.Alpha == scenes.AlphaBlend {
		return nil
	}
	if m.Alpha = scenes.AlphaBlend; !made.soft {
		m.Alpha, m.AlphaCutoff = scenes.AlphaMask, maskCutoff
	}
	return nil
}

// makeMask makes a picture with the colours of one, or white, and the alpha that another means, of the
// size of the larger of the two.
func (r *reader) makeMask(of maskOf) (mask, error) {
	colors, alpha := of.colors, of.alpha
	alphaOf := channelOf(alpha, of.channel, colors == alpha)
	if alphaOf == nil {
		return mask{}, nil
	}
	size := alpha.Rect
	if colors != nil && area(colors.Rect) > area(size) {
		size = colors.Rect
	}
	r.materials.held += int64(len(alpha.Pix))
	if colors != nil {
		r.materials.held += int64(len(colors.Pix))
	}
	if err := r.in.Allow(0, r.held()+4*int64(area(size))); err != nil {
		return mask{}, err
	}
	p := image.NewNRGBA(size)
	between, most := 0, uint8(0)
	for y := range size.Dy() {
		for x := range size.Dx() {
			to := p.Pix[p.PixOffset(x, y):][:4]
			copy(to, "\xff\xff\xff")
			if colors != nil {
				copy(to[:3], at(colors, x, y, size))
			}
			to[3] = alphaOf(at(alpha, x, y, size))
			most = max(most, to[3])
			if to[3] >= 32 && to[3] < 224 {
				between++
			}
		}
	}
	if most == 0 {
		return mask{}, nil // nothing would be there: the program meant something else
	}
	return mask{p, between > area(size)/softShare}, nil
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// at returns the pixel of p where a picture of another size has (x, y).
func at(p *image.NRGBA, x, y int, size image.Rectangle) []uint8 {
	return p.Pix[p.PixOffset(x*p.Rect.Dx()/size.Dx(), y*p.Rect.Dy()/size.Dy()):][:4]
}

// channelOf returns what a pixel of a mask means: the channel that -imfchan names, or alpha where the
// picture has some, or luminance. nil says that there is no mask: a picture of the colours themselves
// has none in its luminance.
func channelOf(p *image.NRGBA, channel byte, same bool) func(pixel []uint8) uint8 {
	alpha := func(pixel []uint8) uint8 { return pixel[3] }
	// The weights of sRGB's channels (ITU-R BT.709), in 65536ths.
	luminance := func(c []uint8) uint8 { return uint8((13933*int(c[0]) + 46871*int(c[1]) + 4732*int(c[2])) >> 16) }
	switch channel {
	case 'r', 'g', 'b':
		i := map[byte]int{'r': 0, 'g': 1, 'b': 2}[channel]
		return func(c []uint8) uint8 { return c[i] }
	case 'm':
		return alpha
	case 'l':
		return luminance
	}
	switch {
	case !p.Opaque():
		return alpha
	case same:
		return nil
	}
	return luminance
}
