package prepared

import (
	"fmt"
	"image"
	"math"

	"lockstep/scenes"
)

// convertMaterials converts the materials of the description, and reads the material of each triangle.
func (u *unpacker) convertMaterials(a *scenes.Attributes) error {
	textures, err := u.convertTextures()
	if err != nil {
		return err
	}
	one := func(number int) (t *scenes.Texture) {
		if number < 0 || number > len(textures) {
			err = errReference
		} else if number > 0 {
			t = textures[number-1]
		}
		return t
	}
	for i := range u.d.Attributes.Materials {
		from := &u.d.Attributes.Materials[i]
		m := scenes.Material{
			Name: from.Name, Texture: one(from.Texture), Glow: one(from.Glow), OneSided: from.OneSided, Unlit: from.Unlit,
			Alpha: scenes.AlphaMode(min(from.Alpha, uint8(scenes.AlphaBlend))), AlphaCutoff: finite(from.AlphaCutoff),
		}
		for k, v := range from.BaseColor {
			m.BaseColor[k] = clamp01(v)
		}
		for k, v := range from.Emission {
			m.Emission[k] = finite(v)
		}
		if f := from.Finish; f != nil {
			m.Finish = new(scenes.Finish)
			for k, t := range m.Finish.Textures() {
				*t = one(f.Textures[k])
			}
			for k, v := range m.Finish.Numbers() {
				*v = finite(f.Numbers[k])
			}
		}
		a.Materials = append(a.Materials, m)
	}
	if err != nil || u.d.Attributes.MaterialOf == 0 {
		return err
	}
	return u.readMaterialOf(a)
}

// clamp01 returns v limited to 0 to 1, or 0 if v is NaN.
func clamp01(v number) float32 {
	if v != v {
		return 0
	}
	return float32(min(max(v, 0), 1))
}

// finite returns v as a finite number, or 0 if v is NaN. Formats to which a mesh may be written can store only finite
// numbers.
func finite(v number) float32 {
	if v != v {
		return 0
	}
	return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32))
}

// readMaterialOf reads the material of each triangle.
func (u *unpacker) readMaterialOf(a *scenes.Attributes) error {
	all, err := u.readArray(u.d.Attributes.MaterialOf, 1)
	if err != nil {
		return err
	}
	if len(all) != u.d.Triangles {
		return errReference
	}
	a.MaterialOf = make([]int32, len(all))
	for t, m := range all {
		a.MaterialOf[t] = int32(m)
		if int32(m) < -1 || int64(int32(m)) >= int64(len(a.Materials)) {
			return fmt.Errorf("triangle %d has material %d of %d", t, int32(m), len(a.Materials))
		}
	}
	return nil
}

// convertTextures converts the textures of the description.
func (u *unpacker) convertTextures() ([]*scenes.Texture, error) {
	from := u.d.Attributes
	pictures := make([]*image.NRGBA, len(from.Pictures))
	taken := make(map[int]bool)
	for i, p := range from.Pictures {
		if taken[p.Pixels] { // pictures with the same pixels could take any amount of memory
			return nil, errReference
		}
		taken[p.Pixels] = true
		all, err := u.readArray(p.Pixels, 1)
		if err != nil {
			return nil, err
		}
		if p.Width < 1 || p.Height < 1 || p.Width > len(all) || p.Height > len(all) || p.Width*p.Height != len(all) {
			return nil, errReference
		}
		m := image.NewNRGBA(image.Rect(0, 0, p.Width, p.Height))
		for k, w := range all {
			m.Pix[4*k], m.Pix[4*k+1], m.Pix[4*k+2], m.Pix[4*k+3] = uint8(w), uint8(w>>8), uint8(w>>16), uint8(w>>24)
		}
		pictures[i] = m
	}
	textures := make([]*scenes.Texture, len(from.Textures))
	for i, t := range from.Textures {
		if t.Picture < 0 || t.Picture >= len(pictures) {
			return nil, errReference
		}
		textures[i] = &scenes.Texture{
			Name: t.Name, Picture: pictures[t.Picture], WrapU: scenes.Wrap(min(t.WrapU, 2)), WrapV: scenes.Wrap(min(t.WrapV, 2)), Nearest: t.Nearest,
			Minify: scenes.Minify(min(t.Minify, 2)), Second: t.Second,
		}
		if t.Placement != nil {
			textures[i].Placement = new(scenes.Placement)
			for r := range 2 {
				for c := range 3 {
					textures[i].Placement[r][c] = finite(t.Placement[r][c])
				}
			}
		}
	}
	return textures, nil
}
