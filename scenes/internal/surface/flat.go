package surface

import (
	"context"
	"math"
	"sort"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
)

// linear holds the intensity in linear light of every sRGB value (IEC 61966-2-1).
var linear = func() (l [256]float32) {
	for i := range l {
		v := float64(i) / 255
		if v <= 0.04045 {
			l[i] = float32(v / 12.92)
		} else {
			l[i] = float32(math.Pow((v+0.055)/1.055, 2.4))
		}
	}
	return l
}()

// Linear returns the intensity in linear light of an sRGB value.
func Linear(v uint8) float32 { return linear[v] }

// SRGB returns the sRGB value nearest to an intensity in linear light.
func SRGB(v float32) uint8 {
	i := sort.Search(255, func(i int) bool { return v < (linear[i]+linear[i+1])/2 })
	return uint8(i)
}

// BaseColor returns the colour of a material in linear light. rgb is in sRGB.
func BaseColor(rgb uint32, alpha float32) [4]float32 {
	return [4]float32{linear[rgb>>16&255], linear[rgb>>8&255], linear[rgb&255], alpha}
}

// Flatten sets the colour of each triangle of m to its mean base colour, for flat shading. If the parameter all is
// false, triangles without a texture keep their colours. m must have attributes.
func Flatten(ctx context.Context, workers int, m *scenes.Mesh, all bool) error {
	a := m.Attributes
	if !all && !hasTexture(a) {
		return nil
	}
	if m.Colors == nil {
		m.Colors = make([]uint32, m.Len())
		for t := range m.Colors {
			m.Colors[t] = scenes.DefaultColor
		}
	}
	return parallel.For(ctx, parallel.Workers(workers, scenes.NumBlocks(m)), scenes.NumBlocks(m), func(_, i int) error {
		lo, hi := scenes.BlockRange(i, m.Len())
		f := flattener{Attributes: a}
		for t := lo; t < hi; t++ {
			mat := a.Material(t)
			if all || mat != nil && mat.Texture != nil {
				m.Colors[t] = f.color(mat, t)
			}
		}
		return nil
	})
}

func hasTexture(a *scenes.Attributes) bool {
	if a.MaterialOf == nil || !a.TexCoords.Has() {
		return false
	}
	for i := range a.Materials {
		if a.Materials[i].Texture != nil {
			return true
		}
	}
	return false
}

// divisionRows is the number of rows into which a triangle is divided if it spans several pixels of its texture. Four
// rows give 16 small triangles, and the texture is sampled at their centres.
const divisionRows = 4

// A flattener computes the colours of triangles for flat shading. It stores the last result, because most triangles
// have the same colour as the one before.
type flattener struct {
	*scenes.Attributes
	factor [3]float32 // last result, in linear light
	rgb    uint32     // last result in sRGB
	known  bool
}

// color returns the mean base colour of triangle t as 0x00RRGGBB.
func (f *flattener) color(mat *scenes.Material, t int) uint32 {
	if mat == nil && !f.Colors.Has() {
		return scenes.DefaultColor
	}
	factor := f.cornersMean(t)
	if mat != nil {
		for i := range factor {
			factor[i] *= mat.BaseColor[i]
		}
	}
	if mat != nil && mat.Texture != nil && f.TexCoords.Has() {
		mean := f.textureMean(mat.Texture, t)
		for i := range factor {
			factor[i] *= mean[i]
		}
	}
	if !f.known || factor != f.factor {
		f.factor, f.known, f.rgb = factor, true, 0
		for _, v := range factor {
			f.rgb = f.rgb<<8 | uint32(SRGB(v))
		}
	}
	return f.rgb
}

// cornersMean returns the mean colour of the corners of triangle t, or white if corners have no colours.
func (f *flattener) cornersMean(t int) (mean [3]float32) {
	if !f.Colors.Has() {
		return [3]float32{1, 1, 1}
	}
	for k := range 3 {
		c := f.Colors.At(k, t)
		for i := range mean {
			mean[i] += linear[c[i]]
		}
	}
	for i := range mean {
		mean[i] /= 3
	}
	return mean
}

// textureMean returns the mean colour of texture x on triangle t.
func (f *flattener) textureMean(x *scenes.Texture, t int) (mean [3]float32) {
	var uv [3][2]float32
	for k := range uv {
		uv[k] = f.TexCoords.At(k, t)
	}
	n := float32(0)
	look := func(s, t float32) {
		u := uv[0][0] + float32(s*(uv[1][0]-uv[0][0])) + float32(t*(uv[2][0]-uv[0][0]))
		v := uv[0][1] + float32(s*(uv[1][1]-uv[0][1])) + float32(t*(uv[2][1]-uv[0][1]))
		c := pixelAt(x, u, v)
		for i := range mean {
			mean[i] += linear[c[i]]
		}
		n++
	}
	if isSmall(x, &uv) {
		look(1.0/3, 1.0/3)
		return mean
	}
	for i := range divisionRows {
		for j := range divisionRows - i {
			look((float32(i)+1.0/3)/divisionRows, (float32(j)+1.0/3)/divisionRows)
			if i+j < divisionRows-1 {
				look((float32(i)+2.0/3)/divisionRows, (float32(j)+2.0/3)/divisionRows)
			}
		}
	}
	for i := range mean {
		mean[i] /= n
	}
	return mean
}

// isSmall reports whether a triangle spans at most about one pixel of its texture.
func isSmall(x *scenes.Texture, uv *[3][2]float32) bool {
	for c, size := range [2]int{x.Picture.Rect.Dx(), x.Picture.Rect.Dy()} {
		span := max(uv[0][c], uv[1][c], uv[2][c]) - min(uv[0][c], uv[1][c], uv[2][c])
		if span*float32(size) > 1.5 {
			return false
		}
	}
	return true
}

// pixelAt returns the pixel of a texture at (u, v).
func pixelAt(x *scenes.Texture, u, v float32) scenes.RGBA {
	p := x.Picture
	i := texelIndex(u, p.Rect.Dx(), x.WrapU)
	j := texelIndex(v, p.Rect.Dy(), x.WrapV)
	o := p.PixOffset(i, j)
	return scenes.RGBA(p.Pix[o : o+4])
}

// texelIndex returns the index of the pixel at texture coordinate u in a row of n pixels.
func texelIndex(u float32, n int, wrap scenes.Wrap) int {
	x := float64(u)
	switch wrap {
	case scenes.Repeat:
		x -= math.Floor(x)
	case scenes.Mirror:
		x = math.Abs(x - float64(2*math.Floor(x/2+0.5)))
	}
	x *= float64(n)
	if !(x > 0) {
		return 0
	}
	return int(min(x, float64(n-1)))
}
