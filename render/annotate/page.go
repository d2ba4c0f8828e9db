package annotate

import (
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
)

// A page is a picture on which lines and text are drawn. pic holds the whole picture or a part of it. Coordinates are
// those of the whole picture.
type page struct {
	a         *Annotator
	pic       *render.Picture
	cam       *render.Camera
	w, h      int // size of the whole picture
	left      int // first column of pic in the whole picture
	right     int // column after the last column of pic, in the whole picture
	top       int // first row of pic in the whole picture; bottom is the row after its last row
	bottom    int
	width     float64 // line width in pixels
	size      float64 // letter size in pixels
	gamma     *gamma
	haloColor render.RGB // colour of halos
	// drawsSilhouette is true while silhouettes are drawn. A silhouette is drawn only where the surface is well
	// behind it (see minSilhouetteStep). Otherwise lines would appear where a single facet of a smooth surface faces
	// away from the eye.
	drawsSilhouette bool
}

func newPage(a *Annotator, pic *render.Picture, cam *render.Camera, width, height int, at image.Point) *page {
	p := &page{a: a, pic: pic, cam: cam, w: width, h: height, left: at.X, right: at.X + pic.Width, top: at.Y, bottom: at.Y + pic.Height, gamma: newGamma()}
	p.width = a.options.LineWidth
	if p.width == 0 {
		p.width = max(1, float64(p.h)/600)
	}
	if p.size = a.options.LetterSize; p.size == 0 {
		p.size = LetterSize(p.w, p.h)
	}
	n := len(pic.Pix) / 4
	if cap(a.cover) < n {
		a.cover = make([]uint8, n)
	}
	a.cover = a.cover[:n]
	return p
}

// LetterSize returns the size of letters, in pixels, for pictures of width by height pixels.
func LetterSize(width, height int) float64 { return max(11, float64(min(width, height))/36) }

// pixelIndex returns the index in pic of the pixel (x, y) of the whole picture.
func (p *page) pixelIndex(x, y int) int { return (y-p.top)*p.pic.Width + x - p.left }

// A segment is a line on the page from (x0, y0) to (x1, y1). q0 and q1 state the depths of its ends in the form that
// page.projectEnd defines.
type segment struct{ x0, y0, q0, x1, y1, q1 float32 }

// neverHidden is the value of q0 and q1 for a segment that no surface hides.
const neverHidden = -1

// project returns the segment between two points of the mesh. ok is false if the segment lies behind the eye or is not
// finite.
func (p *page) project(a, b mgl64.Vec3) (s segment, ok bool) {
	da, db := p.depth(a), p.depth(b)
	if !p.cam.Orthographic {
		near := p.cam.Near
		if da < near && db < near {
			return s, false
		}
		if da < near {
			a, da = between(b, a, (db-near)/(db-da)), near
		} else if db < near {
			b, db = between(a, b, (da-near)/(da-db)), near
		}
	}
	xa, ya, qa := p.projectEnd(a, da)
	xb, yb, qb := p.projectEnd(b, db)
	s = segment{float32(xa), float32(ya), float32(qa), float32(xb), float32(yb), float32(qb)}
	return s, s.x0-s.x0 == 0 && s.y0-s.y0 == 0 && s.x1-s.x1 == 0 && s.y1-s.y1 == 0
}

// depth returns the distance of a point from the eye along Forward.
func (p *page) depth(v mgl64.Vec3) float64 {
	d, f := v.Sub(p.cam.Eye), p.cam.Forward
	return float64(d[0]*f[0]) + float64(d[1]*f[1]) + float64(d[2]*f[2])
}

// projectEnd returns the position (x, y) of a point on the page. q is the depth for an orthographic camera and 1/depth
// for a perspective camera. In both cases q is linear along lines on the page.
func (p *page) projectEnd(v mgl64.Vec3, depth float64) (x, y, q float64) {
	x, y, _ = p.cam.Project(v, p.w, p.h)
	if p.cam.Orthographic {
		return x, y, depth
	}
	return x, y, 1 / depth
}

func between(a, b mgl64.Vec3, t float64) mgl64.Vec3 {
	for i := range a {
		a[i] += float64((b[i] - a[i]) * t)
	}
	return a
}

// surfaceHides reports whether the surface hides a line at pixel (x, y). q states the depth of the line there, in the
// form that projectEnd defines.
//
// A line that lies on the surface must stay visible, although depths are known only at pixel centres. So a line is
// hidden only if its depth exceeds farthest + slack:
//   - farthest is the largest depth of the 3x3 pixels around (x, y).
//   - slack is the range of the depths of these pixels plus a quarter of a pixel's width. The range is due to the slope
//     of the surface. A slope above maxSlope counts as maxSlope.
func (p *page) surfaceHides(x, y int, q float64) bool {
	depth := q
	if !p.cam.Orthographic {
		depth = 1 / q
	}
	nearest, farthest := float32(math.Inf(1)), float32(0)
	for j := max(y-1, p.top); j <= min(y+1, p.bottom-1); j++ {
		for _, d := range p.pic.Depth[p.pixelIndex(max(x-1, p.left), j) : p.pixelIndex(min(x+1, p.right-1), j)+1] {
			nearest, farthest = min(nearest, d), max(farthest, d)
		}
	}
	perPixel := 1 / float64(p.cam.Magnification*float64(p.h))
	if !p.cam.Orthographic {
		perPixel *= depth
	}
	slack := min(float64(farthest)-float64(nearest), float64(maxSlope*perPixel)) + float64(0.25*perPixel)
	if p.drawsSilhouette && farthest-farthest == 0 && float64(farthest)-depth < float64(minSilhouetteStep*perPixel) {
		return true
	}
	if nearest > farthest || farthest-farthest != 0 { // the pixel is at an edge of the surface
		return false
	}
	return depth > float64(farthest)+slack
}

// minSilhouetteStep is the least depth difference between a silhouette and the surface behind it. Its unit is the
// width of a pixel. If the difference is less, the silhouette is not drawn.
const minSilhouetteStep = 4

// maxSlope limits the slope of the surface in surfaceHides. A slope is a change of depth from pixel to pixel, in
// widths of a pixel. The part of a slope above maxSlope is ignored.
const maxSlope = 6
