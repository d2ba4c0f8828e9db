package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/section"
)

// sectionFlags cut the mesh, and editFlags all that changes it before it is drawn.
type sectionFlags struct {
	Section      planesFlag    `group:"view" placeholder:"PLANE" help:"Cut the mesh and close the cut: z=5 or z=40% takes off the side of the eye, z<5 and z>5 keep what they say; 1,1,0=5 is a plane by its normal. May be given several times."`
	ClipBox      recipe.Box    `group:"view" placeholder:"BOX" help:"Keep what lies in a box: X0,Y0,Z0,X1,Y1,Z1."`
	Add          additionsFlag `group:"view" placeholder:"MESH" help:"Another mesh in the same picture: MESH:color=RRGGBB:up=AXIS:scale=F:rotate=X,Y,Z:move=X,Y,Z, each of these if wanted. May be given several times."`
	SectionColor cutColorFlag  `group:"view" default:"c9885b" placeholder:"COLOR" help:"Colour of cuts; open leaves them open (${default})."`
}

// cuts reports whether the mesh is cut.
func (f *sectionFlags) cuts() bool { return len(f.Section) > 0 || f.ClipBox != recipe.Box{} }

// cut cuts the mesh of an input.
func (f *drawFlags) cut(in *input) error {
	mesh := in.mesh()
	if mesh == nil {
		return usagef("%s: --section and --clip-box need all of the mesh in memory, and there is none for it", in.name)
	}
	if in.box.Empty() {
		return nil
	}
	p := f.picture()
	if rgb, ok := p.Look.Color.RGB(); ok && !f.added() {
		mesh = recolored(mesh, uint32(rgb))
	}
	rgb, closed := p.Full().Cuts.Color.RGB()
	o := section.Options{Open: !closed, Body: uint32(p.BodyColor()), Cap: uint32(rgb)}
	planes, err := f.planes(in)
	if err != nil {
		return err
	}
	cut, report, err := section.Cut(mesh, planes, o)
	if err != nil {
		return usagef("%s: --section: %w", in.name, err)
	}
	if report.Bridged > 0 {
		in.warned = append(in.warned, fmt.Sprintf("%s: the surface is not closed: %s in the cut bridged", in.name, plural(int64(report.Bridged), "gap")))
	}
	if report.Loose > 0 && !o.Open {
		in.warned = append(in.warned, fmt.Sprintf("%s: the surface is not closed: a part of the cut is left open", in.name))
	}
	rest := cut.Bounds()
	if rest.Empty() {
		return blankf("%s: the section leaves nothing of it: it lies in the box %s", in.name, corners(in.box, in.src.Info().Origin))
	}
	in.src, in.parts, in.box = cut, cut.Parts, rest
	return nil
}

// corners returns a box as --clip-box takes it, in coordinates of the file.
func corners(box scenes.Box, origin [3]float64) string {
	var s []string
	for _, corner := range [2][3]float64{box.Min, box.Max} {
		for axis, x := range corner {
			s = append(s, strconv.FormatFloat(x+origin[axis], 'g', 7, 64))
		}
	}
	return strings.Join(s, ",")
}

// recolored returns a mesh of one colour.
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
func (f *drawFlags) planes(in *input) (planes []section.Plane, err error) {
	origin := in.src.Info().Origin
	cam, err := render.Fit(in.box, f.Size.Width, f.Size.Height, f.camera(in))
	if err == nil && f.placed() {
		cam, err = f.placedCamera(in)
	}
	if err != nil {
		return nil, usagef("%w", err)
	}
	for _, p := range f.Section {
		plane := section.Plane{Normal: p.Normal, Offset: p.Offset}
		if p.Percent {
			low, high := 0.0, 0.0
			for axis, n := range p.Normal {
				a, b := n*(in.box.Min[axis]+origin[axis]), n*(in.box.Max[axis]+origin[axis])
				low, high = low+min(a, b), high+max(a, b)
			}
			plane.Offset = low + float64((high-low)*p.Offset/100)
		}
		away := mgl64.Vec3(plane.Normal).Dot(cam.Forward) > 0
		if p.Keep == '>' || p.Keep == '=' && away {
			for axis := range plane.Normal {
				plane.Normal[axis] = -plane.Normal[axis]
			}
			plane.Offset = -plane.Offset
		}
		planes = append(planes, plane)
	}
	if f.ClipBox != (recipe.Box{}) {
		for axis := range 3 {
			var n [3]float64
			n[axis] = 1
			planes = append(planes, section.Plane{Normal: n, Offset: f.ClipBox.High[axis]})
			n[axis] = -1
			planes = append(planes, section.Plane{Normal: n, Offset: -f.ClipBox.Low[axis]})
		}
	}
	return planes, nil
}

// planesFlag are planes.
type planesFlag []recipe.Plane

// Decode implements kong.MapperValue. Every call adds planes, which ; parts.
func (f *planesFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	for one := range strings.SplitSeq(s, ";") {
		var p recipe.Plane
		if err := p.UnmarshalText([]byte(strings.TrimSpace(one))); err != nil {
			return err
		}
		*f = append(*f, p)
	}
	return nil
}

// edit changes the mesh of an input as the flags say, before it is drawn.
func (f *drawFlags) edit(ctx context.Context, a *app, in *input) error {
	if f.added() {
		if err := f.join(ctx, a, in); err != nil {
			return err
		}
	}
	if f.cuts() {
		return f.cut(in)
	}
	return nil
}

// setEditor has every mesh that is read edited and measured, as the flags of this command say: a node draws one film after
// the other.
func (f *drawFlags) setEditor(a *app) {
	a.editor, a.unit = nil, float64(f.Unit)
	if f.edits() {
		a.editor = func(ctx context.Context, in *input) error { return f.edit(ctx, a, in) }
	}
}

// edits reports whether they change it.
func (f *drawFlags) edits() bool { return f.cuts() || f.added() }
