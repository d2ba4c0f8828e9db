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

// Gradient is the word for a background that gets darker from top to bottom. It is the default under the studio light.
// FastBackground is the plain background of the fast look.
const (
	Gradient       = "gradient"
	FastBackground = "f3f4f6"
)

// The colours at the ends of gradients. The light ones are about as light as the plain background. The dark ones are
// used behind a nearly white mesh, so that the mesh does not vanish.
const (
	lightTop, lightBottom render.RGB = 0xf7f8fa, 0xdde1e6
	darkTop, darkBottom   render.RGB = 0xa9b0b9, 0x8b939d
)

// Opaque reports whether all pixels are opaque, because there is a background.
func (p Picture) Opaque() bool { return p.full().Look.Background != "none" }

// layered reports whether something other than a plain background is laid behind the mesh.
func (p *Picture) layered() bool {
	f := p.full()
	return f.Look.Background == Gradient || *f.Lines.Ground
}

// ink returns the colour of lines and text if the recipe gives none.
func (p *Picture) ink() render.RGB {
	background := p.full().Look.Background
	if background == Gradient {
		background = FastBackground
	}
	return annotate.Ink(background.color())
}

// layBackdrop lays the background and the shadow under a picture that is height pixels high. pic holds some rows of the
// picture, the first of which is row top.
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

// backdrop returns what lies behind the mesh: the background and the shadow on the ground.
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
	case background == Gradient && in.isPale(p):
		b.Top, b.Bottom = new(darkTop), new(darkBottom)
	case background == Gradient:
		b.Top, b.Bottom = new(lightTop), new(lightBottom)
	case p.Opaque():
		rgb, _ := background.RGB()
		b.Top, b.Bottom = &rgb, &rgb
	}
	return b
}

// shadows reports whether pictures of an input have a shadow on the ground. To find the shadow, the mesh is read twice
// more. Therefore a mesh that is not in memory has none unless the recipe demands it.
func (p *Picture) shadows(in *Input) bool {
	return *p.full().Lines.Ground && (p.Lines.Ground != nil || in.lightable()) && !in.Box.Empty()
}

// A shadowCache stores the shadow of an input.
type shadowCache struct {
	mu        sync.Mutex
	core      *scenes.Box // box of the mesh without far triangles, if cameras are fitted to it; nil otherwise
	seriesBox *scenes.Box // second box under which the ground must lie; nil if there is none
	box       scenes.Box  // box for which the maps were made
	up        scenes.Axis
	maps      map[int]*ground.Ground // by number of texels; there are several because a viewer draws in several sizes in turn
}

// fork returns a cache with the same shadow. If the cameras of the fork are fitted to the whole mesh, join later takes
// over the shadow of the fork.
func (c *shadowCache) fork() *shadowCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &shadowCache{core: c.core, seriesBox: c.seriesBox, box: c.box, up: c.up, maps: maps.Clone(c.maps)}
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

// withCore returns a copy of the input whose box is core, the part of the mesh to which cameras are fitted. From then
// on the ground lies under this part, also in the original input.
func (in *Input) withCore(core scenes.Box) *Input {
	in.shadows.mu.Lock()
	in.shadows.core = &core
	in.shadows.mu.Unlock()
	part := *in
	part.Box, part.Parted = core, true
	return &part
}

// GroundUnder makes the ground also lie under box, which is relative to the origin of the input. For a series of meshes
// box is the box of all of them, because one mesh may rise from the ground on which the others stand.
func (in *Input) GroundUnder(box scenes.Box) {
	in.shadows.mu.Lock()
	in.shadows.seriesBox = &box
	in.shadows.mu.Unlock()
}

// extendDown returns box, extended downwards as far as the box `to` reaches.
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

// shadow returns the shadow of an input in pictures of a recipe, from its cache if possible.
func (in *Input) shadow(ctx context.Context, p *Picture) (*ground.Ground, error) {
	size, up := p.full().Size, p.UpOf(in)
	texels := ground.Texels(size.Width, size.Height)
	c := in.shadows
	c.mu.Lock()
	defer c.mu.Unlock()
	box := in.Box
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

// paleFrom is the mean of reflected linear light from which on a surface counts as nearly white. It is the mean of
// the colour e5e5e5.
const paleFrom = 0.78

// isPale reports whether the mesh of an input is nearly white in pictures of a recipe.
func (in *Input) isPale(p *Picture) bool {
	l := p.full().Look
	tables := surface.NewColors()
	mesh := in.colored()
	switch rgb, given := l.Color.RGB(); {
	case l.Field != "" || l.Color == "facing":
		return false
	case given && !p.Edited(): // otherwise the mesh itself holds the colour
		return brightness.Of(tables.Linear(uint32(rgb))) >= paleFrom
	case mesh == nil || in.Source.Len() == 0:
		return false
	}
	body := brightness.Of(tables.Linear(uint32(p.BodyColor())))
	return brightness.Mean(mesh, in.Source.Len(), body, tables) >= paleFrom
}

// colored returns the mesh that has the colours of an input, or nil if the colours are not in memory.
func (in *Input) colored() *scenes.Mesh {
	if s, ok := in.Source.(*render.Stored); ok {
		return s.Colored()
	}
	return in.Mesh()
}
