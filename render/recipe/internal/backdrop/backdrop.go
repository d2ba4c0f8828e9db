// Package backdrop has what lies behind meshes: backgrounds, and shadows on the ground, which it keeps for the next
// picture of the same mesh.
package backdrop

import (
	"context"
	"maps"
	"sync"

	"lockstep/render"
	"lockstep/render/ground"
	"lockstep/scenes"
)

// Colours at the ends of gradients. The light colours are about as light as the plain background. The dark colours are
// for a nearly white mesh, which would vanish before a light background.
const (
	lightTop, lightBottom render.RGB = 0xf7f8fa, 0xdde1e6
	darkTop, darkBottom   render.RGB = 0xa9b0b9, 0x8b939d
)

// Gradient returns a background that gets darker from top to bottom. If pale is true, the background is dark enough for
// a mesh that is nearly white.
func Gradient(pale bool) *ground.Backdrop {
	if pale {
		return &ground.Backdrop{Top: new(darkTop), Bottom: new(darkBottom)}
	}
	return &ground.Backdrop{Top: new(lightTop), Bottom: new(lightBottom)}
}

// Plain returns a background of one colour.
func Plain(color render.RGB) *ground.Backdrop {
	return &ground.Backdrop{Top: &color, Bottom: &color}
}

// Shadows holds the shadow of a mesh. The zero value contains no shadow yet. Several goroutines may use it at once.
type Shadows struct {
	mu        sync.Mutex
	core      *scenes.Box // box without far triangles, if cameras are fitted to it; nil otherwise
	seriesBox *scenes.Box // second box under which the ground must lie; nil if there is none
	box       scenes.Box  // box for which the maps were made
	up        scenes.Axis
	maps      map[int]*ground.Ground // shadows by number of texels; a viewer alternates between several sizes
}

// Fork returns a copy with the same shadow, for another picture of the mesh. See Join.
func (c *Shadows) Fork() *Shadows {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Shadows{core: c.core, seriesBox: c.seriesBox, box: c.box, up: c.up, maps: maps.Clone(c.maps)}
}

// Join copies the shadow back from `fork`, a result of c.Fork. It copies nothing if cameras of `fork` are fitted to a
// part of the mesh.
func (c *Shadows) Join(fork *Shadows) {
	fork.mu.Lock()
	defer fork.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if fork.core == nil && fork.maps != nil {
		c.box, c.up, c.maps = fork.box, fork.up, maps.Clone(fork.maps)
	}
}

// LieUnderCore places the ground under `core`, the box of the part of the mesh to which cameras are fitted.
func (c *Shadows) LieUnderCore(core scenes.Box) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.core = &core
}

// LieUnderSeries lowers the ground so that it also lies under box, the box of a series of meshes.
func (c *Shadows) LieUnderSeries(box scenes.Box) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seriesBox = &box
}

// extendDown returns box, extended downwards to the lower side of the box `to`.
func extendDown(box scenes.Box, up scenes.Axis, to scenes.Box) scenes.Box {
	for axis, u := range up.Vector() {
		switch {
		case u > 0:
			box.Min[axis] = min(box.Min[axis], to.Min[axis])
		case u < 0:
			box.Max[axis] = max(box.Max[axis], to.Max[axis])
		}
	}
	return box
}

// Of returns the shadow of a mesh with this box and up axis in pictures of this size. It computes each shadow only
// once.
func (c *Shadows) Of(ctx context.Context, source scenes.Source, box scenes.Box, up scenes.Axis, width, height int) (*ground.Ground, error) {
	texels := ground.Texels(width, height)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core != nil {
		box = *c.core
	}
	if c.seriesBox != nil {
		box = extendDown(box, up, *c.seriesBox)
	}
	if c.box != box || c.up != up || c.maps == nil {
		c.box, c.up, c.maps = box, up, make(map[int]*ground.Ground)
	}
	if g := c.maps[texels]; g != nil {
		return g, nil
	}
	g, err := ground.New(ctx, source, box, up, texels)
	if err == nil {
		c.maps[texels] = g
	}
	return g, err
}
