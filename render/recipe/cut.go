package recipe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/budget"
	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/footprint"
	"lockstep/scenes"
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
		mesh = recolored(mesh, uint32(rgb))
	}
	rgb, closed := p.Full().Cuts.Color.RGB()
	o.Open, o.Body, o.Cap = !closed, uint32(p.BodyColor()), uint32(rgb)
	planes, err := p.planes(in)
	if err != nil {
		return nil, err
	}
	cut, report, err := section.Cut(mesh, planes, o)
	if err != nil {
		return nil, unfit(in.Name, p.cutField(), "", "%v", err)
	}
	if report.Bridged > 0 {
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: the surface is not closed: %s in the cut bridged", in.Name, phrase.Plural(int64(report.Bridged), "gap")))
	}
	if report.Loose > 0 && !o.Open {
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: the surface is not closed: a part of the cut is left open", in.Name))
	}
	rest := cut.Bounds()
	if rest.Empty() {
		return nil, errorf(Blank, "%s: the section leaves nothing of it: it lies in the box %s", in.Name, boxText(in.Box, in.Source.Info().Origin))
	}
	in.Source, in.Parts, in.Box = cut, cut.Parts, rest
	return report.Owners, nil
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
	in.Warnings, in.shadows, in.whole, in.closer = slices.Clone(in.Warnings), new(shadowCache), nil, nil
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

// boxText returns a box in the text form of Cuts.Box, in coordinates of the file.
func boxText(box scenes.Box, origin [3]float64) string {
	var s []string
	for _, corner := range [2][3]float64{box.Min, box.Max} {
		for axis, x := range corner {
			s = append(s, strconv.FormatFloat(x+origin[axis], 'g', 7, 64))
		}
	}
	return strings.Join(s, ",")
}

// recolored returns a copy of a mesh in which everything has the same colour.
func recolored(mesh *scenes.Mesh, color uint32) *scenes.Mesh {
	m := *mesh
	m.Colors = make([]uint32, m.Len())
	for i := range m.Colors {
		m.Colors[i] = color
	}
	if m.Attributes != nil {
		a := *m.Attributes
		a.Colors, a.Materials, a.MaterialOf = scenes.Attribute[scenes.RGBA]{}, nil, nil
		m.Attributes = &a
	}
	return &m
}

// planes returns the planes that cut an input.
func (p *Picture) planes(in *Input) (planes []section.Plane, err error) {
	origin := in.Source.Info().Origin
	size, up := p.full().Size, p.UpOf(in)
	cam, err := camera.Fit(in.Box, size.Width, size.Height, p.CameraOptions(up, in.Box))
	if err == nil && p.hasEye() {
		cam, err = p.Place(in.Box, origin, up)
	}
	if err != nil {
		return nil, &Error{Unfit, err}
	}
	for _, s := range p.Cuts.Sections {
		plane := section.Plane{Normal: s.Normal, Offset: s.Offset}
		if s.Percent {
			low, high := 0.0, 0.0
			for axis, n := range s.Normal {
				a, b := n*(in.Box.Min[axis]+origin[axis]), n*(in.Box.Max[axis]+origin[axis])
				low, high = low+min(a, b), high+max(a, b)
			}
			plane.Offset = low + float64((high-low)*s.Offset/100)
		}
		away := mgl64.Vec3(plane.Normal).Dot(cam.Forward) > 0
		if s.Keep == '>' || s.Keep == '=' && away {
			for axis := range plane.Normal {
				plane.Normal[axis] = -plane.Normal[axis]
			}
			plane.Offset = -plane.Offset
		}
		planes = append(planes, plane)
	}
	if p.Cuts.Box != (Box{}) {
		for axis := range 3 {
			var n [3]float64
			n[axis] = 1
			planes = append(planes, section.Plane{Normal: n, Offset: p.Cuts.Box.High[axis]})
			n[axis] = -1
			planes = append(planes, section.Plane{Normal: n, Offset: -p.Cuts.Box.Low[axis]})
		}
	}
	return planes, nil
}
