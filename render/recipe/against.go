package recipe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lockstep/internal/budget"
	"lockstep/render/footprint"
	"lockstep/render/recipe/internal/contents"
	"lockstep/render/recipe/internal/division"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
	"lockstep/scenes/distance"
)

// againstMap is the colour map of distances. Its middle colour, for distance 0, is grey.
const againstMap = "coolwarm"

// againstIndex returns the index of the mesh with which the first mesh is compared, or 0 if there is none.
func (p *Picture) againstIndex() int {
	return max(0, slices.IndexFunc(p.Meshes, func(m Mesh) bool { return m.Against }))
}

// showsDistances reports whether the picture shows distances from the mesh with which the first mesh is compared.
func (p *Picture) showsDistances() bool {
	return (p.Look.Field == "" || p.Look.Field == distance.FieldName) && p.againstIndex() > 0
}

// countDrawn returns the number of meshes that are drawn: all except the mesh to compare with.
func (p *Picture) countDrawn() (n int) {
	for i := range p.Meshes {
		if !p.Meshes[i].Against {
			n++
		}
	}
	return n
}

// normalizeAgainst normalizes the mesh to compare with. If the picture shows a field other than distances, the mesh is
// not needed, and normalizeAgainst removes it. Otherwise it moves the mesh to the end of the meshes.
func (p *Picture) normalizeAgainst() {
	i := p.againstIndex()
	if i == 0 {
		return
	}
	compares, m := p.showsDistances(), p.Meshes[i]
	p.Meshes = slices.Delete(p.Meshes, i, i+1)
	if compares {
		p.Meshes, p.Look.Field = append(p.Meshes, m), ""
	}
}

// A Compared holds the drawn mesh and the mesh with which it is compared. Both have been placed.
type Compared struct {
	// From is the drawn mesh before it was divided. To is the mesh to compare with.
	From, To distance.Item
	// Forth holds the distances from From to To.
	Forth *distance.Measured
	// Names are the names of From and To in messages.
	Names [2]string
}

// Back measures the distances in the other direction, from To to From.
func (c *Compared) Back(ctx context.Context, o distance.Options) (*distance.Measured, error) {
	m, err := distance.Measure(ctx, c.To, c.From, o)
	return m, c.withKind(err, 1)
}

// withKind returns an error with a Kind for an error of a measurement. The parameter item is the index in Names of the
// mesh whose distances were measured.
func (c *Compared) withKind(err error, item int) error {
	var none *distance.NoSurfaceError
	if errors.As(err, &none) {
		return errorf(Blank, "%s: %w", c.Names[none.Item^item], distance.ErrNoSurface)
	}
	return err
}

// compare reads the mesh to compare with. It measures the distances of the input's mesh from that mesh. Then it
// divides the input's mesh into more triangles. The distances become a field of the divided mesh.
func (d *Drawer) compare(ctx context.Context, p *Picture, in *Input) error {
	i := p.againstIndex()
	m, mesh := &p.Meshes[i], in.Mesh()
	other, has, err := d.readMore(ctx, m.File, i)
	if err != nil {
		return err
	}
	if d.NoteContents {
		in.Contents = contents.Join(in.Contents, has)
	}
	if mesh == nil {
		return unfitError(in.Name, "meshes", "", "comparing them needs all of each in memory, and there is none for it")
	}
	if axis, err := scenes.ParseAxis(m.Up); err == nil {
		other.Stand(axis, p.UpOf(in))
	}
	c := &Compared{
		From: distance.Item{Mesh: mesh, Transform: p.Meshes[0].Placement()}, To: distance.Item{Mesh: other, Transform: m.Placement()},
		Names: [2]string{in.Name, Name(m.File)},
	}
	d.matchUnit(p, in, c)
	if d.Memory != nil {
		if short := d.Memory.Lacks(footprint.OfMesh(d.options(p)), in.Held, distance.Memory(mesh.Len(), other.Len())); short != nil {
			return errorf(Unfit, "%s: comparing it with %s %s", c.Names[0], c.Names[1], short.Text())
		}
	}
	c.Forth, err = distance.Measure(ctx, c.From, c.To, distance.Options{Workers: d.Workers, Progress: d.Comparing})
	if err != nil {
		return c.withKind(err, 0)
	}
	fine := c.Forth.Mesh
	in.Source, in.Parts, in.Box, in.Held = fine, fine.Parts, fine.Bounds(), max(in.Held, budget.MeshBytes(fine.Len()))
	in.divided = &division.Division{Mesh: mesh, Fine: fine, Owners: c.Forth.Owners}
	if d.KeepCompared {
		in.Compared = c
	}
	return nil
}

// matchUnit scales the mesh to compare with to the unit of the drawn mesh, if both units are known and differ.
func (d *Drawer) matchUnit(p *Picture, in *Input, c *Compared) {
	unit := c.To.Mesh.Unit
	if unit == 0 {
		unit = units.Of(p.Unit)
	}
	if unit == 0 || in.Unit == 0 || unit == in.Unit {
		return
	}
	f := unit / in.Unit
	scale := scenes.Affine{{f, 0, 0, 0}, {0, f, 0, 0}, {0, 0, f, 0}}
	if place := c.To.Transform; place != nil {
		scale = place.Mul(&scale)
	}
	c.To.Transform = &scale
	in.Warnings = append(in.Warnings, fmt.Sprintf("%s: its unit is the %s: scaled to the %s of %s", c.Names[1], units.Name(unit), units.Name(in.Unit), c.Names[0]))
}
