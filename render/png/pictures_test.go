package png

import (
	"image"
	"math"
)

// picture is a test picture. pix holds straight-alpha RGBA.
type picture struct {
	name          string
	width, height int
	pix           []byte
}

func newPicture(name string, width, height int) *picture {
	return &picture{name: name, width: width, height: height, pix: make([]byte, 4*width*height)}
}

func (p *picture) image() *image.NRGBA {
	return &image.NRGBA{Pix: p.pix, Stride: 4 * p.width, Rect: image.Rect(0, 0, p.width, p.height)}
}

func (p *picture) set(x, y int, r, g, b, a byte) {
	if x < 0 || y < 0 || x >= p.width || y >= p.height {
		return
	}
	copy(p.pix[4*(y*p.width+x):], []byte{r, g, b, a})
}

// mix returns a hash of x (Stafford's mix 13 of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// shade applies the renderer's light: it multiplies base by a linear intensity and returns sRGB.
func shade(base [3]float64, cos float64) (r, g, b byte) {
	i := 0.15 + 0.85*math.Abs(cos)
	f := func(c float64) byte {
		c *= i
		if c <= 0.0031308 {
			return byte(255*12.92*c + 0.5)
		}
		return byte(255*(1.055*math.Pow(c, 1/2.4)-0.055) + 0.5)
	}
	return f(base[0]), f(base[1]), f(base[2])
}

var (
	grey   = [3]float64{0.604, 0.604, 0.604} // cccccc
	orange = [3]float64{0.8, 0.3, 0.05}
)

// bump returns the height of a bumpy sphere in direction (u, v), in radians.
func bump(u, v float64) float64 {
	return 1 + 0.04*math.Sin(9*u)*math.Cos(7*v) + 0.015*math.Sin(31*u+2)*math.Sin(27*v)
}

// bumpNormal returns the unit normal of the bumpy sphere, computed by finite differences.
func bumpNormal(u, v float64) [3]float64 {
	at := func(u, v float64) [3]float64 {
		h := bump(u, v)
		return [3]float64{h * math.Cos(v) * math.Sin(u), h * math.Sin(v), h * math.Cos(v) * math.Cos(u)}
	}
	const e = 1e-4
	p, pu, pv := at(u, v), at(u+e, v), at(u, v+e)
	var a, b [3]float64
	for k := range 3 {
		a[k], b[k] = pu[k]-p[k], pv[k]-p[k]
	}
	n := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if l == 0 {
		return [3]float64{0, 0, 1}
	}
	return [3]float64{n[0] / l, n[1] / l, n[2] / l}
}

// sphere draws a bumpy sphere that fills 90 % of the height times fill. It is divided into facets of cell radians (two
// triangles for each cell), or smooth if cell is 0.
func sphere(name string, width, height int, fill, cell float64, base [3]float64) *picture {
	p := newPicture(name, width, height)
	r := 0.45 * fill * float64(height)
	for y := range height {
		for x := range width {
			px := (float64(x) + 0.5 - float64(width)/2) / r
			py := (float64(height)/2 - float64(y) - 0.5) / r
			d := px*px + py*py
			if d >= 1 {
				continue
			}
			pz := math.Sqrt(1 - d)
			// The sphere is tilted, so that edges of facets are not horizontal.
			qy, qz := 0.9*py-0.436*pz, 0.436*py+0.9*pz
			qx := px
			u, v := math.Atan2(qx, qz), math.Asin(max(-1, min(1, qy)))
			if cell > 0 {
				fu, fv := u/cell, v/cell
				iu, iv := math.Floor(fu), math.Floor(fv)
				if fu-iu+fv-iv < 1 {
					u, v = (iu+0.33)*cell, (iv+0.33)*cell
				} else {
					u, v = (iu+0.67)*cell, (iv+0.67)*cell
				}
			}
			n := bumpNormal(u, v)
			// The argument is the cosine between the normal and the view direction, which is tilted with the sphere.
			cr, cg, cb := shade(base, n[2]*0.9-n[1]*0.436)
			p.set(x, y, cr, cg, cb, 255)
		}
	}
	return p
}

// smoothed averages groups of four pixels with premultiplied alpha and stores straight alpha, as sampling does, so that
// edges get partial alpha.
func smoothed(name string, p *picture) *picture {
	q := newPicture(name, p.width/2, p.height/2)
	for y := range q.height {
		for x := range q.width {
			var sum [4]int
			for k := range 4 {
				o := 4 * ((2*y+k/2)*p.width + 2*x + k%2)
				a := int(p.pix[o+3])
				sum[3] += a
				for c := range 3 {
					sum[c] += int(p.pix[o+c]) * a
				}
			}
			if sum[3] > 0 {
				q.set(x, y, byte(sum[0]/sum[3]), byte(sum[1]/sum[3]), byte(sum[2]/sum[3]), byte(sum[3]/4))
			}
		}
	}
	return q
}

// onto sets every transparent pixel to an opaque colour.
func onto(name string, p *picture, r, g, b byte) *picture {
	q := newPicture(name, p.width, p.height)
	for o := 0; o < len(p.pix); o += 4 {
		copy(q.pix[o:], []byte{r, g, b, 255})
		if p.pix[o+3] != 0 {
			copy(q.pix[o:], p.pix[o:o+3])
		}
	}
	return q
}

// lines draws thin lines in many directions.
func lines(name string, width, height, n int) *picture {
	p := newPicture(name, width, height)
	for i := range n {
		h := mix(uint64(i) + 1)
		x0, y0 := float64(h%uint64(width)), float64(h>>16%uint64(height))
		x1, y1 := float64(h>>32%uint64(width)), float64(h>>48%uint64(height))
		steps := max(1, math.Max(math.Abs(x1-x0), math.Abs(y1-y0)))
		r, g, b := shade(grey, float64(i%17)/17)
		for k := 0.0; k <= steps; k++ {
			t := k / steps
			p.set(int(x0+(x1-x0)*t), int(y0+(y1-y0)*t), r, g, b, 255)
		}
	}
	return p
}

// soup draws triangles of all sizes and colours over each other.
func soup(name string, width, height, n int) *picture {
	p := newPicture(name, width, height)
	for i := range n {
		h := mix(uint64(i) + 99)
		cx, cy := float64(h%uint64(width)), float64(h>>20%uint64(height))
		size := float64(height) * 0.3 * math.Pow(0.02, float64(h>>40%1000)/1000)
		h = mix(h)
		var v [3][2]float64
		for k := range v {
			v[k][0] = cx + size*(float64(h>>(16*k)%256)/128-1)
			v[k][1] = cy + size*(float64(h>>(16*k+8)%256)/128-1)
		}
		r, g, b := shade([3]float64{0.2 + 0.6*float64(h>>50%8)/8, 0.4, 0.5}, float64(h>>54%256)/256)
		fill(p, v, r, g, b)
	}
	return p
}

func fill(p *picture, v [3][2]float64, r, g, b byte) {
	edge := func(a, b [2]float64, x, y float64) float64 { return (b[0]-a[0])*(y-a[1]) - (b[1]-a[1])*(x-a[0]) }
	x0, x1 := min(v[0][0], v[1][0], v[2][0]), max(v[0][0], v[1][0], v[2][0])
	y0, y1 := min(v[0][1], v[1][1], v[2][1]), max(v[0][1], v[1][1], v[2][1])
	for y := int(y0); y <= int(y1); y++ {
		for x := int(x0); x <= int(x1); x++ {
			fx, fy := float64(x)+0.5, float64(y)+0.5
			e0, e1, e2 := edge(v[0], v[1], fx, fy), edge(v[1], v[2], fx, fy), edge(v[2], v[0], fx, fy)
			if e0 >= 0 && e1 >= 0 && e2 >= 0 || e0 <= 0 && e1 <= 0 && e2 <= 0 {
				p.set(x, y, r, g, b, 255)
			}
		}
	}
}

// noise fills the picture with random bytes.
func noise(name string, width, height int) *picture {
	p := newPicture(name, width, height)
	for i := range p.pix {
		p.pix[i] = byte(mix(uint64(i)) >> 24)
	}
	return p
}

// constant fills the picture with one colour.
func constant(name string, width, height int, r, g, b, a byte) *picture {
	p := newPicture(name, width, height)
	for y := range height {
		for x := range width {
			p.set(x, y, r, g, b, a)
		}
	}
	return p
}

// depth converts a sphere's silhouette to 16-bit distances, with the largest value outside.
func depth(width, height int) []uint16 {
	pix := make([]uint16, width*height)
	r := 0.45 * float64(height)
	for y := range height {
		for x := range width {
			px := (float64(x) + 0.5 - float64(width)/2) / r
			py := (float64(y) + 0.5 - float64(height)/2) / r
			d := px*px + py*py
			z := 1.0
			if d < 1 {
				z = 0.9 - 0.7*math.Sqrt(1-d)*bump(3*px, 3*py)
			}
			pix[y*width+x] = uint16(math.Max(0, math.Min(65535, z*65535)))
		}
	}
	return pix
}

// gallery returns the pictures with which sizes and speeds are measured.
func gallery(width, height int) []*picture {
	fine := sphere("facets=fine", width, height, 1, 0.008, grey)
	return []*picture{
		constant("empty", width, height, 0, 0, 0, 0),
		constant("white", width, height, 255, 255, 255, 255),
		sphere("smooth", width, height, 1, 0, grey),
		sphere("smooth-orange", width, height, 1, 0, orange),
		sphere("facets=pixel", width, height, 1, 0.002, grey),
		fine,
		sphere("facets=medium", width, height, 1, 0.03, grey),
		sphere("facets=large", width, height, 1, 0.15, orange),
		sphere("facets=huge", width, height, 1, 0.3, grey),
		sphere("zoomed", width, height, 3, 0.01, grey),
		onto("opaque", fine, 40, 44, 52),
		onto("small-on-white", sphere("", width, height, 0.25, 0.05, orange), 255, 255, 255),
		smoothed("samples=4", sphere("", 2*width, 2*height, 1, 0.02, orange)),
		lines("lines", width, height, 400),
		soup("soup", width, height, 3000),
		noise("noise", width, height),
	}
}
