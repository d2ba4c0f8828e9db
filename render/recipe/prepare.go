package recipe

import (
	"context"
	"fmt"
	"math"
	"strings"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/normals"
	"lockstep/render/recipe/internal/contents"
	"lockstep/render/recipe/internal/cutting"
	"lockstep/render/recipe/internal/parts"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
	"lockstep/scenes/join"
	"lockstep/scenes/section"
)

// prepare changes the mesh according to the recipe and computes its normals. It applies the unit, axis, comparison,
// placements, parts and cuts. `most` is the user's limit of memory in bytes; 0 means no limit.
func (d *Drawer) prepare(ctx context.Context, p *Picture, in *Input, most int64, o render.Options) error {
	in.setUnit(p.Unit)
	if err := d.turnUpright(in, p.Meshes[0].Up); err != nil {
		return err
	}
	if p.showsDistances() {
		if err := d.compare(ctx, p, in); err != nil {
			return err
		}
	}
	if p.joinsMeshes() {
		if err := d.join(ctx, p, in); err != nil {
			return err
		}
	}
	if p.Parts.isSet() {
		if err := p.showParts(in); err != nil {
			return err
		}
	}
	if p.Cut() {
		if err := p.cut(in); err != nil {
			return err
		}
	}
	if mesh := in.Mesh(); mesh != nil && o.InMemory() && o.Color == nil && o.Samples < fineSamples && !p.hasFineSamples(mesh.Len()) && isTransparent(mesh) {
		in.Warnings = append(in.Warnings, in.Name+": translucent materials are drawn sample by sample, as many as alpha says: look.samples 16 is finer")
	}
	return d.makeSurface(ctx, in, most, o)
}

// setUnit sets the unit of the input to the unit with the given name, unless the file states a unit.
func (in *Input) setUnit(unit string) {
	stated := units.Of(unit)
	switch in.Unit = in.Source.Info().Unit; {
	case stated == 0:
	case in.Unit == 0:
		in.Unit = stated
		if mesh := in.Mesh(); mesh != nil {
			mesh.Unit = stated
		}
	case in.Unit != stated:
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: picture.unit is ignored: the unit of the file is the %s", in.Name, units.Name(in.Unit)))
	}
}

// turnUpright sets the up axis of the input to `up`, the axis of this mesh in the recipe. With Drawer.Standing, it
// rotates the mesh so that this axis becomes Drawer.Standing.
func (d *Drawer) turnUpright(in *Input, up string) error {
	axis, err := scenes.ParseAxis(up)
	switch {
	case err != nil:
		return nil
	case d.Standing == nil:
		in.Axis = &axis
		return nil
	}
	mesh := in.Mesh()
	if mesh == nil {
		return errorf(Unfit, "%s: :up= turns meshes that are in memory, and there is none for it", in.Name)
	}
	mesh.Stand(axis, *d.Standing)
	in.Parts = mesh.Parts
	in.Box = mesh.Bounds()
	return nil
}

// joinsMeshes reports whether meshes are joined or placed. In that case the colours are stored in the mesh in memory.
func (p *Picture) joinsMeshes() bool {
	n := p.countDrawn()
	return n > 1 || n == 1 && p.Meshes[0].Placement() != nil
}

// join places the meshes of the recipe and joins them into one mesh, which becomes the mesh of the input.
func (d *Drawer) join(ctx context.Context, p *Picture, in *Input) error {
	mesh := in.Mesh()
	if mesh == nil {
		return unfitError(in.Name, "meshes", "", "joining them needs all of each in memory, and there is none for it")
	}
	items := []join.Item{{Mesh: mesh, Name: in.Name, Transform: p.Meshes[0].Placement(), Color: itemColor(p.bodyText())}}
	if p.full().Look.Field != "" {
		items[0].Color = nil
	}
	hashes := []string{in.Contents}
	for i := 1; i < len(p.Meshes); i++ {
		m := &p.Meshes[i]
		if m.Against {
			continue
		}
		more, has, err := d.readMore(ctx, m.File, i)
		if err != nil {
			return err
		}
		if axis, err := scenes.ParseAxis(m.Up); err == nil {
			more.Stand(axis, p.UpOf(in))
		}
		hashes = append(hashes, has)
		items = append(items, join.Item{Mesh: more, Name: m.File, Transform: m.Placement(), Color: itemColor(m.Color)})
	}
	if d.NoteContents {
		in.Contents = contents.Join(hashes...)
	}
	joined, err := join.Meshes(items, uint32(p.BodyColor()))
	if err != nil {
		return unfitError(in.Name, "meshes", "", "%v", err)
	}
	if in.divided != nil {
		if in.divided, err = in.divided.Join(joined, items, uint32(p.BodyColor())); err != nil {
			return errorf(Unfit, "%s: %w", in.Name, err)
		}
	}
	in.Source, in.Parts, in.Box = joined, joined.Parts, joined.Bounds()
	in.Held = budget.MeshBytes(joined.Len())
	return nil
}

// itemColor returns a colour in the form of join.Item.Color, or nil if c is not a colour.
func itemColor(c Color) *uint32 {
	rgb, ok := c.RGB()
	if !ok {
		return nil
	}
	color := uint32(rgb)
	return &color
}

// isSet reports whether the recipe hides or colours any parts.
func (p *Parts) isSet() bool { return len(p.Colors)+len(p.Only)+len(p.Hide) > 0 }

// choice returns the parts as a parts.Choice.
func (p *Parts) choice() parts.Choice {
	var c parts.Choice
	for _, one := range p.Colors {
		c.Colors = append(c.Colors, parts.Color{Part: string(one.Part), Color: itemColor(one.Color)})
	}
	for _, only := range p.Only {
		c.Only = append(c.Only, string(only))
	}
	for _, hide := range p.Hide {
		c.Hide = append(c.Hide, string(hide))
	}
	return c
}

// showParts colours and hides the parts of an input.
func (p *Picture) showParts(in *Input) error {
	mesh, c := in.Mesh(), p.Parts.choice()
	if mesh == nil {
		return unfitError(in.Name, c.Field(), "", "needs all of the mesh in memory, and there is none for it")
	}
	if field, unknown := c.FindUnknown(mesh); unknown != "" {
		return unfitError(in.Name, field, unknown, "%s", parts.Names(mesh))
	}
	body := itemColor(p.bodyText())
	if p.full().Look.Field != "" || p.joinsMeshes() {
		body = nil
	}
	items, places := c.Items(mesh, body)
	if len(items) == 0 {
		return errorf(Blank, "%s: all of its parts are hidden", in.Name)
	}
	if a := mesh.Attributes; a != nil && int64(len(items))*int64(a.Vertices) > math.MaxInt32 {
		return unfitError(in.Name, c.Field(), "", "splits the mesh into %d pieces, which are too many for its size", len(items))
	}
	shown, err := join.Meshes(items, uint32(p.BodyColor()))
	if err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
	}
	shown.Parts = places
	in.Source, in.Parts, in.Box = shown, shown.Parts, shown.Bounds()
	return nil
}

// cut cuts the mesh of an input by the recipe's box and planes.
func (p *Picture) cut(in *Input) error {
	_, err := p.cutWith(in, section.Options{})
	return err
}

// cutWith is like cut, with additional options of package section. If o requests the owners of triangles and the mesh
// was cut, it returns the owners.
func (p *Picture) cutWith(in *Input, o section.Options) (owners []uint32, err error) {
	mesh := in.Mesh()
	if mesh == nil {
		return nil, unfitError(in.Name, p.cutField(), "", "needs all of the mesh in memory, and there is none for it")
	}
	if in.Box.Empty() {
		return nil, nil
	}
	if rgb, ok := p.Look.Color.RGB(); ok && !p.joinsMeshes() && !p.Parts.isSet() {
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
		return nil, unfitError(in.Name, p.cutField(), "", "%v", err)
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

// cutField returns the name of the recipe's field that cuts the mesh, for messages.
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

// makeSurface prepares a mesh for options that light pixels one by one. It computes normals for smooth shading. A mesh
// that is not in memory stays as it is, see Look.
//
// A mesh is shaded flat if its normals do not fit into free memory, or if the mesh and its normals need more than
// `most` bytes (0 means no limit).
func (d *Drawer) makeSurface(ctx context.Context, in *Input, most int64, o render.Options) error {
	mesh, ok := in.Source.(*scenes.Mesh)
	if !ok || !o.InMemory() {
		return nil
	}
	if name := o.Field.Name; name != "" && mesh.Field(name) == nil {
		return unfitError(in.Name, "look.field", name, "%s", fieldNames(mesh))
	}
	s := &render.Surface{Mesh: mesh}
	in.Source = s
	if o.Shading != render.ShadingSmooth {
		return nil
	}
	if short := d.normalsShortage(in, most, o); short != nil {
		in.Warnings = append(in.Warnings, in.Name+": shaded flat: smooth shading "+short.Text())
		return nil
	}
	if err := normals.CheckCrease(mesh.Len(), o.Crease); err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
	}
	in.normals = func(ctx context.Context) error {
		smooth, err := in.divided.Surface(ctx, mesh, render.SurfaceOptions{Crease: o.Crease, Workers: o.Workers})
		if err == nil {
			in.Source = smooth
		}
		return err
	}
	if d.LateNormals {
		return nil
	}
	return in.Smooth(ctx)
}

// isTransparent reports whether a material of a mesh is transparent.
func isTransparent(mesh *scenes.Mesh) bool {
	a := mesh.Attributes
	if a == nil {
		return false
	}
	for _, m := range a.MaterialOf {
		if m >= 0 && a.Materials[m].Alpha == scenes.AlphaBlend {
			return true
		}
	}
	return false
}

// fieldNames lists the fields of a mesh for messages.
func fieldNames(mesh *scenes.Mesh) string {
	if mesh.Attributes == nil || len(mesh.Attributes.Fields) == 0 {
		return "the mesh has no numbers to colour by"
	}
	names := make([]string, len(mesh.Attributes.Fields))
	for i := range names {
		names[i] = mesh.Attributes.Fields[i].Name
	}
	return "the mesh has " + strings.Join(names, ", ")
}
