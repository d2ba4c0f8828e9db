package main

import (
	"fmt"
	"github.com/alecthomas/kong"
	"lockstep/render/recipe"
	"strings"
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

// additionsFlag are further meshes.
type additionsFlag []recipe.Mesh

// Decode implements kong.MapperValue. Every call adds a mesh.
func (f *additionsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, func(string) bool { return false })
	if err != nil {
		return err
	}
	for one := range strings.SplitSeq(s, "\n") { // so those of a recipe are parted
		a, err := recipe.ParseMesh(one)
		if err != nil {
			return err
		}
		if a.File == "-" {
			return fmt.Errorf("%q: expected a file or a scene", one)
		}
		*f = append(*f, a)
	}
	return nil
}
