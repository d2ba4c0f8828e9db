package obj

import (
	"image"

	"lockstep/scenes"
)

// A mask is a picture with the colours of one picture and the alpha of another.
type mask struct {
	picture *image.NRGBA // nil: no mask, because alpha is the same everywhere
	soft    bool         // many pixels are neither opaque nor transparent
}

// A maskKey identifies a mask by the pictures from which it is made. If colors is nil, the mask is white.
type maskKey struct {
	colors, alpha *image.NRGBA
	channel       byte // see textureRef
}

const (
	// maskCutoff is the alpha below which a mask has a hole. It is the default of glTF.
	maskCutoff = 0.5
	// softShare distinguishes glass from leaves. In a pane of glass, many pixels of a mask are partly transparent. If
	// more than 1/softShare of the pixels are, the material is blended. At the edges of leaves, few pixels are partly
	// transparent. The material then only has holes.
	softShare = 4
)

// applyMask applies the mask map_d to material m. If the mask is soft or the material already blends, the alpha of the
// mask is blended. Otherwise the mask makes holes.
func (r *reader) applyMask(m *scenes.Material, mat *material) error {
	alpha, err := r.texture(mat, mat.mask)
	if alpha == nil || err != nil {
		return err
	}
	var colors *image.NRGBA
	if m.Texture != nil {
		colors = m.Texture.Picture
	}
	of := maskKey{colors, alpha.Picture, mat.mask.channel}
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

// makeMask makes the mask for a key. It has the size of the larger of the two pictures.
func (r *reader) makeMask(of maskKey) (mask, error) {
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
				copy(to[:3], pixelAt(colors, x, y, size))
			}
			to[3] = alphaOf(pixelAt(alpha, x, y, size))
			most = max(most, to[3])
			if to[3] >= 32 && to[3] < 224 {
				between++
			}
		}
	}
	if most == 0 {
		return mask{}, nil // all transparent, which must be a mistake of another program
	}
	return mask{p, between > area(size)/softShare}, nil
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// pixelAt returns the pixel of p at the same relative position as pixel (x, y) in a picture with bounds `size`.
func pixelAt(p *image.NRGBA, x, y int, size image.Rectangle) []uint8 {
	return p.Pix[p.PixOffset(x*p.Rect.Dx()/size.Dx(), y*p.Rect.Dy()/size.Dy()):][:4]
}

// channelOf returns a function that reads the alpha of a mask from a pixel of p. The alpha is
//
//   - the channel that -imfchan names, if any;
//   - the alpha, if p is not opaque;
//   - the luminance otherwise.
//
// If same is set, p also has the colours, so its luminance cannot be the alpha. channelOf then returns nil.
func channelOf(p *image.NRGBA, channel byte, same bool) func(pixel []uint8) uint8 {
	alpha := func(pixel []uint8) uint8 { return pixel[3] }
	// Weights of the channels of sRGB (ITU-R BT.709), in 65536ths.
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
