package recipe

import (
	"context"
	"slices"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/footprint"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/cutting"
	"lockstep/scenes/section"
)

// cut cuts the mesh of an input by the recipe's box and planes.
func (p *Picture) cut(in *Input) error {
	_, err := p.cutWith(in, section.Options{})
	return err
}

// cutWith is like cut, with additional options of package section. It returns the owners of triangles if o asks for
// them and something was cut.
func (p *Picture) cutWith(in *Input, o section.Options) (owners []uint32, err error) {
	mesh := in.Mesh()
	if mesh == nil {
		return nil, unfit(in.Name, p.cutField(), "", "needs all of the mesh in memory, and there is none for it")
	}
	if in.Box.Empty() {
		return nil, nil
	}
	if rgb, ok := p.Look.Color.RGB(); ok && !p.joined() && !p.Parts.isSet() {
		mesh = cutting.Recolored(mesh, uint32(rgb))
	}
	rgb, closed := p.Full().Cuts.Color.RGB()
	o.Open, o.Body, o.Cap = !closed, uint32(p.BodyColor()), uint32(rgb)
	planes, err := p.planes(in)
	if err != nil {
		return nil, err
	}
	cut, owners, warnings, err := cutting.Cut(mesh, planes, o)
	if err != nil {
		return nil, unfit(in.Name, p.cutField(), "", "%v", err)
	}
	for _, line := range warnings {
		in.Warnings = append(in.Warnings, in.Name+": "+line)
	}
	rest := cut.Bounds()
	if rest.Empty() {
		return nil, errorf(Blank, "%s: the section leaves nothing of it: it lies in the box %s", in.Name, cutting.BoxText(in.Box, in.Source.Info().Origin))
	}
	in.Source, in.Parts, in.Box = cut, cut.Parts, rest
	return owners, nil
}

// A Slider cuts an input again and again by moving planes. The zero value is ready for use.
type Slider struct {
	memory  section.Memory
	surface *render.Surface // surface of the last cut
	room    int64           // bytes that cuts may take, because there was memory for them
}

// Cut cuts the input whole by the cuts of p, and returns the cut input. whole must have been prepared for p without its
// cuts. Triangles keep the normals that they have in whole. So the edges of the cut may look rounder or sharper than in
// the input that OpenBase prepares for p, which takes several times as long. The next call of Cut overwrites the mesh
// of the result. Cut returns an error if d has no memory for pictures of a cut with the options o.
func (s *Slider) Cut(ctx context.Context, d *Drawer, whole *Input, p Picture, o render.Options) (*Input, error) {
	if err := s.makeRoom(d, whole, &p, o); err != nil {
		return nil, err
	}
	in := *whole
	in.Warnings, in.shadows, in.divided, in.closer = slices.Clone(in.Warnings), new(backdrop.Shadows), nil, nil
	owners, err := p.cutWith(&in, section.Options{Rough: true, Owners: true, Memory: &s.memory})
	if err != nil {
		return nil, err
	}
	surface, ok := whole.Source.(*render.Surface)
	if cut := in.Mesh(); ok && owners != nil {
		s.surface = surface.DivideInto(s.surface, cut, owners, o.Workers)
		in.Source = s.surface
	}
	return &in, ctx.Err()
}

// makeRoom returns an error if there is not enough memory to cut an input. A cut takes as much as a mesh of the same
// size, its normals and the owners of its triangles, which later cuts use again. Several planes make a mesh in between.
func (s *Slider) makeRoom(d *Drawer, whole *Input, p *Picture, o render.Options) error {
	n := whole.Source.Len()
	const ownerBytes = 4
	cut := budget.MeshBytes(n) + ownerBytes*int64(n)
	if p.Cuts.Box != (Box{}) || len(p.Cuts.Sections) > 1 {
		cut *= 2
	}
	if cut += footprint.Surface(n); cut <= s.room {
		return nil
	}
	if short := d.shortage(o, d.Read.MaxMemory, whole.Held, footprint.Surface(n), cut); short != nil {
		return errorf(Unfit, "%s: moving a section through it %s", whole.Name, short.Text())
	}
	s.room = cut
	return nil
}

// cutField returns the name of the field of the recipe by which the mesh is cut, for messages.
func (p *Picture) cutField() string {
	if len(p.Cuts.Sections) > 0 {
		return "cuts.sections"
	}
	return "cuts.box"
}

// planes returns the planes that cut an input.
func (p *Picture) planes(in *Input) ([]section.Plane, error) {
	origin := in.Source.Info().Origin
	size, up := p.full().Size, p.UpOf(in)
	cam, err := camera.Fit(in.Box, size.Width, size.Height, p.CameraOptions(up, in.Box))
	if err == nil && p.hasEye() {
		cam, err = p.Place(in.Box, origin, up)
	}
	if err != nil {
		return nil, &Error{Unfit, err}
	}
	sections := make([]cutting.Section, len(p.Cuts.Sections))
	for i, s := range p.Cuts.Sections {
		sections[i] = cutting.Section(s)
	}
	return cutting.Planes(sections, cutting.Box(p.Cuts.Box), in.Box, origin, cam.Forward), nil
}
