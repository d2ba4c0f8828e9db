package recipe

import (
	"context"
	"maps"
	"sync"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/ground"
	"lockstep/render/internal/surface"
	"lockstep/render/recipe/internal/brightness"
	"lockstep/scenes"
)

// Gradient is the word for a background that gets darker from top to bottom: the default of pictures in the light of the
// studio. FastBackground is the plain one of the fast look.
const (
	Gradient       = "gradient"
	FastBackground = "f3f4f6"
)

// The ends of gradients are about as light as the plain background; behind a mesh that is nearly white they are darker, so
// that it does not vanish.
const (
	lightTop, lightBottom render.RGB = 0xf7f8fa, 0xdde1e6
	darkTop, darkBottom   render.RGB = 0xa9b0b9, 0x8b939d
)

// leastShade is the part of the light that is missing where a shadow begins to be seen: cameras are fitted to what misses
// more.
const leastShade = 0.06

// Opaque reports whether all pixels are opaque: whether there is a background.
func (p Picture) Opaque() bool { return p.full().Look.Background != "none" }

// layered reports whether more than a plain background is laid behind the mesh.
func (p *Picture) layered() bool {
	f := p.full()
	return f.Look.Background == Gradient || *f.Lines.Ground
}

// ink returns the colour of lines and text where none is given.
func (p *Picture) ink() render.RGB {
	background := p.full().Look.Background
	if background == Gradient {
		background = FastBackground
	}
	return annotate.Ink(background.color())
}

// layBackdrop lays what is behind the mesh under rows of a picture of a height, of which pic holds those from top on.
func (g *Drawing) layBackdrop(ctx context.Context, cam *render.Camera, pic *render.Picture, height, top int) error {
	if !g.Picture.layered() {
		return nil
	}
	b, err := g.backdrop(ctx)
	if err != nil {
		return err
	}
	return b.Lay(ctx, pic, cam, height, top)
}

// backdrop returns what is behind the mesh.
func (g *Drawing) backdrop(ctx context.Context) (b *ground.Backdrop, err error) {
	b = g.Picture.background(g.Input)
	if g.Picture.shadows(g.Input) {
		b.Ground, err = g.Input.shadow(ctx, &g.Picture)
	}
	return b, err
}

// background returns the background of pictures of an input, without a shadow.
func (p *Picture) background(in *Input) *ground.Backdrop {
	b := new(ground.Backdrop)
	switch background := p.full().Look.Background; {
	case background == Gradient && in.pale(p):
		b.Top, b.Bottom = new(darkTop), new(darkBottom)
	case background == Gradient:
		b.Top, b.Bottom = new(lightTop), new(lightBottom)
	case p.Opaque():
		rgb, _ := background.RGB()
		b.Top, b.Bottom = &rgb, &rgb
	}
	return b
}

// shadows reports whether pictures of an input have a shadow on the ground. It is found by reading the mesh twice more,
// so that one that is not in memory has none unless the recipe demands it.
func (p *Picture) shadows(in *Input) bool {
	return *p.full().Lines.Ground && (p.Lines.Ground != nil || in.lightable()) && !in.Box.Empty()
}

// A shadowCache keeps the shadow of an input.
type shadowCache struct {
	mu    sync.Mutex
	core  *scenes.Box // of the mesh without triangles far away from the others, where cameras are fitted to that
	under *scenes.Box // that the ground lies under, too; nil: of nothing else
	box   scenes.Box  // that the ground lies under
	up    scenes.Axis
	maps  map[int]*ground.Ground // by their texels: a viewer draws in several sizes in turn
}

// fork returns a cache with the same shadow, join takes that of a fork whose box was that of the whole mesh.
func (c *shadowCache) fork() *shadowCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &shadowCache{core: c.core, under: c.under, box: c.box, up: c.up, maps: maps.Clone(c.maps)}
}

func (c *shadowCache) join(fork *shadowCache) {
	fork.mu.Lock()
	defer fork.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if fork.core == nil && fork.maps != nil {
		c.box, c.up, c.maps = fork.box, fork.up, maps.Clone(fork.maps)
	}
}

// partedTo returns the input that cameras are fitted to where they are fitted to a part of the mesh, whose box is given. The
// ground is under that part, too.
func (in *Input) partedTo(core scenes.Box) *Input {
	in.shadowed.mu.Lock()
	in.shadowed.core = &core
	in.shadowed.mu.Unlock()
	part := *in
	part.Box, part.Parted = core, true
	return &part
}

// GroundUnder has the ground lie under a box, too, relative to the origin of the input: that of all meshes of a series, one
// of which may rise from the ground where the others stand.
func (in *Input) GroundUnder(box scenes.Box) {
	in.shadowed.mu.Lock()
	in.shadowed.under = &box
	in.shadowed.mu.Unlock()
}

// lowered returns a box that reaches as far down as another.
func lowered(box scenes.Box, up scenes.Axis, to scenes.Box) scenes.Box {
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

// shadow returns the shadow of an input in pictures of a recipe.
func (in *Input) shadow(ctx context.Context, p *Picture) (*ground.Ground, error) {
	size, up := p.full().Size, p.UpOf(in)
	texels := ground.Texels(size.Width, size.Height)
	c := in.shadowed
	c.mu.Lock()
	defer c.mu.Unlock()
	box := in.Box
	if c.core != nil {
		box = *c.core
	}
	if c.under != nil {
		box = lowered(box, up, *c.under)
	}
	if c.box != box || c.up != up || c.maps == nil {
		c.box, c.up, c.maps = box, up, make(map[int]*ground.Ground)
	}
	if g := c.maps[texels]; g != nil {
		return g, nil
	}
	g, err := ground.New(ctx, in.Source, box, up, texels)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unfit(in.Name, "lines.ground", "", "%v", err)
	}
	c.maps[texels] = g
	return g, nil
}

// paleFrom is the mean of linear light that a surface reflects from which on it is nearly white: that of e5e5e5.
const paleFrom = 0.78

// pale reports whether the mesh of an input is nearly white in pictures of a recipe.
func (in *Input) pale(p *Picture) bool {
	l := p.full().Look
	tables := surface.NewColors()
	mesh := in.colored()
	switch rgb, given := l.Color.RGB(); {
	case l.Field != "" || l.Color == "facing":
		return false
	case given && !p.Edited(): // else the mesh has it
		return brightness.Of(tables.Linear(uint32(rgb))) >= paleFrom
	case mesh == nil || in.Source.Len() == 0:
		return false
	}
	body := brightness.Of(tables.Linear(uint32(p.BodyColor())))
	return brightness.Mean(mesh, in.Source.Len(), body, tables) >= paleFrom
}

// colored returns a mesh with the colours of an input, nil where they are not in memory.
func (in *Input) colored() *scenes.Mesh {
	if s, ok := in.Source.(*render.Stored); ok {
		return s.Colored()
	}
	return in.Mesh()
}
