package surface

import (
	"context"
	"math"
	"sort"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
)

// linear holds the intensity of every sRGB value (IEC 61966-2-1).
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

// Linear returns the intensity of an sRGB value.
func Linear(v uint8) float32 { return linear[v] }

// SRGB returns the sRGB value nearest to an intensity.
func SRGB(v float32) uint8 {
	i := sort.Search(255, func(i int) bool { return v < (linear[i]+linear[i+1])/2 })
	return uint8(i)
}

// BaseColor returns the colour of a material in linear light.
func BaseColor(rgb uint32, alpha float32) [4]float32 {
	return [4]float32{linear[rgb>>16&255], linear[rgb>>8&255], linear[rgb&255], alpha}
}

// Flatten gives m one colour a triangle: where it has a texture, the mean of its
// base colour. Other triangles keep theirs. It needs the attributes of m.
func Flatten(ctx context.Context, workers int, m *scenes.Mesh) error {
	a := m.Attributes
	if !textured(a) || !a.TexCoords.Has() {
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
		for t := lo; t < hi; t++ {
			if of := a.MaterialOf[t]; of >= 0 && a.Materials[of].Texture != nil {
				m.Colors[t] = flatColor(a, &a.Materials[of], t)
			}
		}
		return nil
	})
}

func textured(a *scenes.Attributes) bool {
	if a.MaterialOf != nil {
		for i := range a.Materials {
			if a.Materials[i].Texture != nil {
				return true
			}
		}
	}
	return false
}

// rows is in how many rows a triangle is divided that spans several pixels of its
// texture: 16 triangles, whose middles are looked at.
const rows = 4

// flatColor returns the mean base colour of triangle t.
func flatColor(a *scenes.Attributes, mat *scenes.Material, t int) uint32 {
	var uv [3][2]float32
	for k := range uv {
		uv[k] = a.TexCoords.At(k, t)
	}
	var sum [3]float32
	n := 0
	look := func(s, t float32) {
		u := uv[0][0] + float32(s*(uv[1][0]-uv[0][0])) + float32(t*(uv[2][0]-uv[0][0]))
		v := uv[0][1] + float32(s*(uv[1][1]-uv[0][1])) + float32(t*(uv[2][1]-uv[0][1]))
		c := pixel(mat.Texture, u, v)
		for i := range sum {
			sum[i] += linear[c[i]]
		}
		n++
	}
	if small(mat.Texture, &uv) {
		look(1.0/3, 1.0/3)
	} else {
		for i := range rows {
			for j := range rows - i {
				look((float32(i)+1.0/3)/rows, (float32(j)+1.0/3)/rows)
				if i+j < rows-1 {
					look((float32(i)+2.0/3)/rows, (float32(j)+2.0/3)/rows)
				}
			}
		}
	}
	corners := [3]float32{1, 1, 1}
	if a.Colors.Has() {
		corners = [3]float32{}
		for k := range 3 {
			c := a.Colors.At(k, t)
			for i := range corners {
				corners[i] += linear[c[i]] / 3
			}
		}
	}
	rgb := uint32(0)
	for i := range sum {
		rgb = rgb<<8 | uint32(SRGB(sum[i]/float32(n)*mat.BaseColor[i]*corners[i]))
	}
	return rgb
}

// small reports whether a triangle spans about a pixel of its texture.
func small(x *scenes.Texture, uv *[3][2]float32) bool {
	for c, size := range [2]int{x.Picture.Rect.Dx(), x.Picture.Rect.Dy()} {
		span := max(uv[0][c], uv[1][c], uv[2][c]) - min(uv[0][c], uv[1][c], uv[2][c])
		if span*float32(size) > 1.5 {
			return false
		}
	}
	return true
}

// pixel returns the pixel of a texture at (u, v).
func pixel(x *scenes.Texture, u, v float32) scenes.RGBA {
	p := x.Picture
	i := at(u, p.Rect.Dx(), x.WrapU)
	j := at(v, p.Rect.Dy(), x.WrapV)
	o := p.PixOffset(i, j)
	return scenes.RGBA(p.Pix[o : o+4])
}

// at returns the index of a pixel in a row of n.
func at(u float32, n int, wrap scenes.Wrap) int {
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
