package threeds

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A material is a scenes.Material together with the transform of its texture coordinates.
type material struct {
	scenes.Material
	hasTransform  bool
	scale, offset [2]float64
}

// maxMaterials is the greatest number of materials of a file.
const maxMaterials = 1 << 12

// findMaterials reads all materials in chunk c and the chunks inside it.
func (r *reader) findMaterials(c chunk) error {
	switch c.id {
	case idMain, idEditor:
		return r.eachChunk(c, r.findMaterials)
	case idMaterial:
		return r.readMaterial(c)
	}
	return nil
}

// readMaterial reads the material in chunk c. Colours are taken as sRGB, as in OBJ.
func (r *reader) readMaterial(c chunk) error {
	if len(r.materials) == maxMaterials {
		return r.warn.Add(bytePlace(c.at), "left out: there are more than %d materials", maxMaterials)
	}
	if err := r.Reserve(512); err != nil {
		return err
	}
	m := material{scale: [2]float64{1, 1}}
	m.BaseColor = surface.BaseColor(scenes.DefaultColor, 1)
	own, alpha := 0.0, 1.0
	err := r.eachChunk(c, func(c chunk) (err error) {
		switch c.id {
		case idMaterialName:
			m.Name, _ = r.name(c)
		case idDiffuse:
			rgb, ok, err := r.color(c)
			if ok {
				m.BaseColor = surface.BaseColor(rgb, 1)
			}
			return err
		case idTransparency:
			alpha, err = r.percent(c)
			alpha = 1 - alpha
			return err
		case idOwnLight:
			own, err = r.percent(c)
			return err
		case idTexture:
			return r.readTexture(&m, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range m.Emission {
		m.Emission[i] = float32(own) * m.BaseColor[i]
	}
	if m.Texture != nil {
		m.BaseColor = [4]float32{1, 1, 1, 1}
		if own > 0 {
			m.Glow, m.Emission = m.Texture, [3]float32{float32(own), float32(own), float32(own)}
		}
	}
	if alpha > 0 && alpha < 0.998 { // alpha 0 is a mistake: the material would be invisible
		m.Alpha, m.BaseColor[3] = scenes.AlphaBlend, float32(alpha)
	}
	if _, ok := r.materialOf[m.Name]; !ok {
		r.materialOf[m.Name] = int32(len(r.materials))
	}
	r.materials = append(r.materials, m)
	return nil
}

// color returns the colour in a chunk. If the chunk has the colour twice, in sRGB and in linear light, the result is
// the one in sRGB.
func (r *reader) color(of chunk) (rgb uint32, ok bool, err error) {
	best := 0
	err = r.eachChunk(of, func(c chunk) error {
		var v [3]float64
		rank := map[int]int{idLinearFloat: 1, idLinearByte: 2, idColorFloat: 3, idColorByte: 4}[c.id]
		if rank <= best {
			return nil
		}
		switch {
		case c.id == idColorByte || c.id == idLinearByte:
			if c.end-c.body < 3 {
				return nil
			}
			for i := range v {
				v[i] = float64(r.data[c.body+i]) / 255
			}
		case !r.floats(c.body, c.end, v[:]):
			return nil
		}
		best = rank
		rgb = uint32(unit8(v[0]))<<16 | uint32(unit8(v[1]))<<8 | uint32(unit8(v[2]))
		return nil
	})
	return rgb, best > 0, err
}

// unit8 converts a colour component from the range 0 to 1 to the range 0 to 255. NaN becomes 0.
func unit8(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}

// percent returns the percentage in a chunk as a number from 0 to 1.
func (r *reader) percent(of chunk) (v float64, err error) {
	err = r.eachChunk(of, func(c chunk) error {
		switch {
		case c.id == idPercentInt && c.end-c.body >= 2:
			v = float64(int16(r.uint16At(c.body))) / 100
		case c.id == idPercentFloat && c.end-c.body >= 4:
			v = r.float(c.body)
		}
		return nil
	})
	if !(v > 0) {
		return 0, err
	}
	return min(v, 1), err
}

// readTexture reads the texture of material m, and the transform of its texture coordinates.
func (r *reader) readTexture(m *material, of chunk) error {
	x := &scenes.Texture{}
	number := func(c chunk, to *float64) {
		if c.end-c.body >= 4 {
			if v := r.float(c.body); !math.IsNaN(v) && !math.IsInf(v, 0) {
				*to = v
			}
		}
	}
	err := r.eachChunk(of, func(c chunk) error {
		switch c.id {
		case idFile:
			x.Name, _ = r.name(c)
		case idTiling:
			if c.end-c.body >= 2 {
				x.WrapU, x.WrapV = wrap(r.uint16At(c.body))
			}
		case idUScale:
			number(c, &m.scale[0])
		case idVScale:
			number(c, &m.scale[1])
		case idUOffset:
			number(c, &m.offset[0])
		case idVOffset:
			number(c, &m.offset[1])
		}
		return nil
	})
	if err != nil || x.Name == "" {
		return err
	}
	m.hasTransform = m.scale != [2]float64{1, 1} || m.offset != [2]float64{}
	if x.Picture, err = surface.DecodeBeside(r.in, "", x.Name, r.Held); err != nil {
		return surface.WarnMissing(r.in, r.warn, bytePlace(of.at), "texture "+text.Short(x.Name), err)
	}
	if !r.pictures[x.Picture] {
		r.pictures[x.Picture] = true
		if err := r.Reserve(int64(len(x.Picture.Pix))); err != nil {
			return err
		}
	}
	m.Texture = x
	return nil
}

// wrap returns how a picture continues beyond its edges in both directions. flags are the tiling flags of the file.
func wrap(flags int) (u, v scenes.Wrap) {
	const mirror, once = 2, 16
	switch {
	case flags&mirror != 0:
		return scenes.Mirror, scenes.Mirror
	case flags&once != 0:
		return scenes.Clamp, scenes.Clamp
	}
	return scenes.Repeat, scenes.Repeat
}
