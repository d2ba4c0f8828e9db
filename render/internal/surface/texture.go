package surface

import (
	"encoding/binary"
	"image"
	"math"
	"runtime"
	"sync"

	"lockstep/render/internal/float3"
	"lockstep/scenes"
)

// textures prepares the textures of a mesh, whose values tables explain. Many may show one picture.
type textures struct {
	tables  *Colors
	none    bool // the mesh has no texture coordinates
	order   []*image.NRGBA
	made    map[*image.NRGBA]*texture
	alphaOf map[*image.NRGBA][]uint8
}

func newTextures(a *scenes.Attributes, tables *Colors) *textures {
	return &textures{tables, !a.TexCoords.Has(), nil, map[*image.NRGBA]*texture{}, map[*image.NRGBA][]uint8{}}
}

// want notes textures that will be asked for; nil is none.
func (s *textures) want(all ...*scenes.Texture) {
	for _, t := range all {
		if t == nil || t.Picture == nil || s.none {
			continue
		}
		if _, ok := s.made[t.Picture]; !ok {
			s.order, s.made[t.Picture] = append(s.order, t.Picture), nil
		}
	}
}

// makeTextures makes the textures that are wanted, several at once.
func makeTextures(sets ...*textures) {
	type task struct {
		set     *textures
		picture *image.NRGBA
		made    *texture
	}
	var tasks []task
	for _, s := range sets {
		for _, p := range s.order {
			tasks = append(tasks, task{s, p, nil})
		}
	}
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range tasks {
		free <- struct{}{}
		all.Go(func() {
			tasks[i].made = newTexture(tasks[i].picture, tasks[i].set.tables)
			<-free
		})
	}
	all.Wait()
	for _, t := range tasks {
		t.set.made[t.picture] = t.made
	}
}

// prepared returns a texture that was wanted; nil for none.
func (s *textures) prepared(t *scenes.Texture) *texture {
	if t == nil || t.Picture == nil || s.none {
		return nil
	}
	return s.made[t.Picture].like(t)
}

// alphas is alphasOf, once for each picture.
func (s *textures) alphas(p *image.NRGBA) []uint8 {
	if _, ok := s.alphaOf[p]; !ok {
		s.alphaOf[p] = alphasOf(p)
	}
	return s.alphaOf[p]
}

// A texture is a picture in halves of its size, down to one pixel.
type texture struct {
	levels       []level
	wrapU, wrapV scenes.Wrap
	nearest      bool
	tables       *Colors
	alpha        []uint8 // of the first level; nil: it is opaque, or nobody asks
}

type level struct {
	width, height int
	pix           []uint8 // sRGB, four bytes a pixel, of which the last is not looked at
}

// newTexture makes a texture of a picture, whose pixels it shares where they lie close together.
func newTexture(p *image.NRGBA, tables *Colors) *texture {
	b := p.Bounds()
	l := level{b.Dx(), b.Dy(), p.Pix}
	if p.Stride != 4*l.width || b.Min != (image.Point{}) {
		l.pix = make([]uint8, 0, 4*l.width*l.height)
		for y := range l.height {
			l.pix = append(l.pix, p.Pix[p.PixOffset(b.Min.X, b.Min.Y+y):][:4*l.width]...)
		}
	}
	tex := &texture{levels: []level{l}, tables: tables}
	for l.width > 1 || l.height > 1 {
		l = l.half(tables)
		tex.levels = append(tex.levels, l)
	}
	return tex
}

// like returns a texture of the same picture that is repeated and magnified as t is.
func (tex *texture) like(t *scenes.Texture) *texture {
	other := *tex
	other.wrapU, other.wrapV, other.nearest = t.WrapU, t.WrapV, t.Nearest
	return &other
}

// half averages 2 x 2 pixels in linear light.
func (l level) half(tables *Colors) level {
	h := level{max(l.width/2, 1), max(l.height/2, 1), nil}
	h.pix = make([]uint8, 4*h.width*h.height)
	linear := &tables.linear
	for y := range h.height {
		upper, lower := l.pix[4*min(2*y, l.height-1)*l.width:], l.pix[4*min(2*y+1, l.height-1)*l.width:]
		to := h.pix[4*y*h.width:][:4*h.width]
		for x := range h.width {
			left, right := 4*min(2*x, l.width-1), 4*min(2*x+1, l.width-1)
			for c := range 3 {
				sum := float32(float32(linear[upper[left+c]]+linear[upper[right+c]])+linear[lower[left+c]]) + linear[lower[right+c]]
				to[4*x+c] = uint8(tables.step(float32(sum * 0.25)))
			}
		}
	}
	return h
}

// at returns the linear colour at (u, v), where a pixel of the picture spans span
// pixels of the texture's first level.
func (t *texture) at(u, v, span float32) float3.Vector {
	n := 0
	for n+1 < len(t.levels) && span > 1.5 {
		span, n = float32(span*0.5), n+1
	}
	l := &t.levels[n]
	if !(u > -1e6 && u < 1e6 && v > -1e6 && v < 1e6) {
		u, v = 0, 0
	}
	x, y := float32(u*float32(l.width))-0.5, float32(v*float32(l.height))-0.5
	if t.nearest && n == 0 {
		x, y = float32(math.Floor(float64(x)+0.5)), float32(math.Floor(float64(y)+0.5))
	}
	fx, px := floor(x)
	fy, py := floor(y)
	x0, x1 := wrap(fx, l.width, t.wrapU), wrap(fx+1, l.width, t.wrapU)
	y0, y1 := wrap(fy, l.height, t.wrapV), wrap(fy+1, l.height, t.wrapV)
	upper, lower := l.pix[4*y0*l.width:], l.pix[4*y1*l.width:]
	a, b := binary.LittleEndian.Uint32(upper[4*x0:]), binary.LittleEndian.Uint32(upper[4*x1:])
	c, d := binary.LittleEndian.Uint32(lower[4*x0:]), binary.LittleEndian.Uint32(lower[4*x1:])
	return float3.New(t.tables.between(a, b, c, d, px, py), t.tables.between(a>>8, b>>8, c>>8, d>>8, px, py), t.tables.between(a>>16, b>>16, c>>16, d>>16, px, py))
}

// between returns the light between the lowest bytes of four pixels, two and two beside each other, at parts of the way to
// the right and down.
func (c *Colors) between(upperLeft, upperRight, lowerLeft, lowerRight uint32, right, down float32) float32 {
	l := &c.linear
	upper := float32(l[upperLeft&255]*(1-right)) + float32(l[upperRight&255]*right)
	lower := float32(l[lowerLeft&255]*(1-right)) + float32(l[lowerRight&255]*right)
	return float32(upper*(1-down)) + float32(lower*down)
}

// floor returns the largest whole number up to x, which is far from the ends of an int64, and the rest.
func floor(x float32) (int, float32) {
	i := int64(x)
	if float32(i) > x {
		i--
	}
	return int(i), x - float32(i)
}

// wrap brings a pixel beyond the picture into it.
func wrap(x, n int, mode scenes.Wrap) int {
	switch mode {
	case scenes.Clamp:
		return min(max(x, 0), n-1)
	case scenes.Mirror:
		if x = modulo(x, 2*n); x >= n {
			x = 2*n - 1 - x
		}
		return x
	}
	return modulo(x, n)
}

func modulo(x, n int) int {
	if uint(x) < uint(n) {
		return x // mostly, without a division
	}
	if x %= n; x < 0 {
		x += n
	}
	return x
}
