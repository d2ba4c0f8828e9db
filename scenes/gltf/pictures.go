package gltf

import (
	"fmt"
	"image"

	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// decodeAhead decodes all pictures of materials that the file itself contains, several at once.
func (r *reader) decodeAhead() {
	seen := map[integer]bool{}
	var pictures [][]byte
	for i := range r.doc.Materials {
		for _, info := range r.doc.Materials[i].textures(!r.in.Options.Flat) {
			if data := r.embeddedPicture(info, seen); len(data) > 0 {
				pictures = append(pictures, data)
			}
		}
	}
	if len(pictures) > 1 {
		surface.Ahead(r.in, pictures, r.Held)
	}
}

// textures returns the textures of a material that are drawn. Those for reflection and transmission are included only
// if `fine` is set.
func (m *claimedMaterial) textures(fine bool) (all []*textureInfo) {
	_, base := m.baseColor()
	add := func(info *textureInfo) {
		if info != nil && m.fits(info) {
			all = append(all, info)
		}
	}
	add(base)
	add(m.EmissiveTexture)
	if fine && m.Extensions.Unlit == nil {
		for _, info := range m.finishTextures() {
			add(info)
		}
	}
	return all
}

// embeddedPicture returns the bytes of a texture's picture if a buffer contains it and `seen` does not. It adds the
// picture to `seen`. It ignores errors, which are reported later when the picture is read.
func (r *reader) embeddedPicture(info *textureInfo, seen map[integer]bool) []byte {
	t, err := entry(r.doc.Textures, "texture", info.Index)
	if err != nil || t.source() == nil || seen[*t.source()] {
		return nil
	}
	seen[*t.source()] = true
	from, err := entry(r.doc.Images, "image", *t.source())
	if err != nil || from.BufferView == nil {
		return nil
	}
	data, _, err := r.view(*from.BufferView)
	if err != nil {
		return nil
	}
	return data
}

// A decodeResult is the picture of an image, or the error of decoding it.
type decodeResult struct {
	picture *image.NRGBA
	err     error
}

// picture returns the picture of image i. It decodes the image only once for all textures.
func (r *reader) picture(i integer, from *picture) (*image.NRGBA, error) {
	d, ok := r.images[i]
	if !ok {
		d.picture, d.err = r.decodePicture(from)
		r.images[i] = d
	}
	if d.err == nil && !r.pictures[d.picture] {
		r.pictures[d.picture] = true
		r.Held += int64(len(d.picture.Pix))
	}
	return d.picture, d.err
}

// decodePicture decodes an image.
func (r *reader) decodePicture(from *picture) (*image.NRGBA, error) {
	if from.BufferView != nil {
		data, _, err := r.view(*from.BufferView)
		if err != nil {
			return nil, err
		}
		return surface.Decode(r.in, data, r.Held)
	}
	before := r.Held
	data, file, err := r.resolveURI(from.URI)
	r.Held = before // the compressed bytes are no longer needed
	if err != nil {
		return nil, err
	}
	if file == "" {
		return surface.Decode(r.in, data, r.Held)
	}
	p, err := surface.DecodeFile(r.in, file, r.Held)
	if err != nil {
		err = fmt.Errorf("%s: %w", text.Short(file), err)
	}
	return p, err
}
