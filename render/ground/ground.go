package ground

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/vector"
	"lockstep/scenes"
)

// mapZoom leaves a margin around the mesh in the map, wide enough for the widest blur. The box spans the fraction
// camera.Margin*mapZoom of the map.
const mapZoom = 0.45

// mostTexels and minTexels limit the width and height of a map. In a map of mostTexels, even the sharpest shadow is
// blurred by more than a texel. So a larger map would show no more detail. In a map smaller than minTexels, a mesh
// would cover too few texels.
const (
	mostTexels = 512
	minTexels  = 64
)

// Texels returns the width and height, in texels, of the map of a shadow for pictures of width by height pixels. The
// result is a power of two from 64 to 512. If it is less than 512, a texel covers at most two pixels in each
// direction. A map of 64 texels takes a sixteenth of the time of a map of 256.
func Texels(width, height int) int {
	n := minTexels
	for n < mostTexels && 2*n < max(width, height) {
		n *= 2
	}
	return n
}

// A Ground is the shadow of one mesh on the ground below it. Several goroutines may use it at a time.
type Ground struct {
	up     mgl64.Vec3
	level  float64       // height of the ground, as a coordinate along up
	camera render.Camera // camera that drew the map; it looks up from below
	texels int           // width and height of the map
	shadow []float32     // fraction of the light that is missing, by texel
	area   area          // texels outside it have no shadow
}

// New computes the shadow of a mesh with the bounding box `box` and the up axis `up`. The map has `texels` columns and
// as many rows (see Texels). New draws two small pictures of the mesh, and takes some 10 ms more for 512 texels.
func New(ctx context.Context, source scenes.Source, box scenes.Box, up scenes.Axis, texels int) (*Ground, error) {
	if err := sources.Check(ctx, source); err != nil {
		return nil, fmt.Errorf("ground: %w", err)
	}
	if texels < 1 || texels > render.MaxPixels {
		return nil, fmt.Errorf("ground: %d texels: expected 1 to %d", texels, render.MaxPixels)
	}
	g := &Ground{up: up.Vector(), level: math.Inf(1), texels: texels}
	for _, corner := range [2][3]float64{box.Min, box.Max} {
		g.level = math.Min(g.level, vector.Dot(corner, g.up))
	}
	low, high, err := g.heights(ctx, source, box, up)
	if err != nil {
		return nil, err
	}
	g.blur(low, high, horizontalSize(box, g.up))
	g.findArea()
	return g, nil
}

// heights returns, by texel, the heights above the ground of the lowest and the highest point of the mesh. They are
// +Inf and -Inf if no part of the mesh lies above the texel.
func (g *Ground) heights(ctx context.Context, source scenes.Source, box scenes.Box, up scenes.Axis) (low, high []float32, err error) {
	n := g.texels
	r, err := render.New(render.Options{Width: n, Height: n, Depth: true})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var cams [2]render.Camera
	var pics [2]render.Picture
	for i, elevation := range [2]float64{-90, 90} {
		o := camera.Options{Up: up, Elevation: elevation, Orthographic: true, Zoom: mapZoom}
		if cams[i], err = camera.Fit(box, n, n, o); err != nil {
			return nil, nil, err
		}
		if _, err := r.Frame(ctx, source, cams[i], &pics[i]); err != nil && !errors.Is(err, render.ErrBlank) {
			return nil, nil, err
		}
	}
	g.camera = cams[0]
	low, high = pics[0].Depth, pics[1].Depth
	below, above := float32(g.heightOf(cams[0].Eye)), float32(g.heightOf(cams[1].Eye))
	// The picture from above is a mirror image of that from below: turned upside down or left to right.
	upright := vector.Dot(cams[0].Up, cams[1].Up) > 0
	upper := make([]float32, len(high))
	for y := range n {
		for x := range n {
			at := y*n + n - 1 - x
			if !upright {
				at = (n-1-y)*n + x
			}
			upper[y*n+x] = above - high[at]
		}
	}
	for i := range low {
		low[i] += below
		upper[i] = max(upper[i], low[i])
		if math.IsInf(float64(low[i]), 1) {
			upper[i] = float32(math.Inf(-1))
		}
	}
	return low, upper, nil
}

// horizontalSize returns the larger of the two horizontal extents of the mesh.
func horizontalSize(box scenes.Box, up mgl64.Vec3) (most float64) {
	for axis, s := range box.Size() {
		if up[axis] == 0 {
			most = math.Max(most, s)
		}
	}
	return most
}

// heightOf returns the height of p above the ground.
func (g *Ground) heightOf(p mgl64.Vec3) float64 { return vector.Dot(p, g.up) - g.level }

// findArea computes the area in which the shadow is visible, because its darkness is at least half a step of a ramp.
func (g *Ground) findArea() {
	g.area = area{g.texels, g.texels, 0, 0}
	for i, s := range g.shadow {
		if s >= 0.5/shades {
			g.area.add(i%g.texels, i/g.texels)
		}
	}
}

// Outline returns points that enclose all ground on which at least the fraction `least` of the light is missing. For
// each row and each column of texels, the points are the two ends of such ground. An end is interpolated between two
// texels. If it were rounded to a whole texel, a change in the last bits of a depth could move it by a texel, and with
// it a camera that is fitted to the points. The points are relative to the origin of the mesh. If the shadow is not
// that dark anywhere, there are no points.
func (g *Ground) Outline(least float32) (points []mgl64.Vec3) {
	a := &g.area
	for y := a.top; y < a.bottom; y++ {
		for _, x := range ends(a.left, a.right, least, func(x int) float32 { return g.shadow[y*g.texels+x] }) {
			points = append(points, g.groundAt(x, float64(y)))
		}
	}
	for x := a.left; x < a.right; x++ {
		for _, y := range ends(a.top, a.bottom, least, func(y int) float32 { return g.shadow[y*g.texels+x] }) {
			points = append(points, g.groundAt(float64(x), y))
		}
	}
	return points
}

// ends returns the first and the last position from lo to hi at which a line of texels has at least the darkness
// `least`. Between two texels the darkness is linear. ends returns nothing if the line is lighter everywhere.
func ends(lo, hi int, least float32, at func(int) float32) []float64 {
	first, last := lo, hi-1
	for first < hi && at(first) < least {
		first++
	}
	if first == hi {
		return nil
	}
	for at(last) < least {
		last--
	}
	// beyond returns how far the darkness reaches from a texel towards its lighter neighbour.
	beyond := func(texel, neighbour int) float64 {
		if neighbour < lo || neighbour >= hi {
			return 0
		}
		s := at(texel)
		return float64(s-least) / float64(s-at(neighbour))
	}
	return []float64{float64(first) - beyond(first, first-1), float64(last) + beyond(last, last+1)}
}

// groundAt returns the point of the ground at the given column and row of the map, relative to the origin of the mesh.
func (g *Ground) groundAt(x, y float64) mgl64.Vec3 {
	p := g.camera.Unproject(x+0.5, y+0.5, 0, g.texels, g.texels)
	return p.Sub(vector.Scaled(g.up, g.heightOf(p)))
}

// Shade returns the fraction of the light that is missing on the ground at p, or straight below p. p is relative to
// the origin of the mesh.
func (g *Ground) Shade(p mgl64.Vec3) float32 {
	x, y, _ := g.camera.Project(p, g.texels, g.texels)
	return g.at(x-0.5, y-0.5)
}
