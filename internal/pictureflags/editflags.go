package pictureflags

import (
	"encoding"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render/recipe"
)

// sectionFlags are the flags that cut the mesh.
type sectionFlags struct {
	Section      planesFlag     `group:"view" placeholder:"PLANE" help:"Cut the mesh and close the cut: z=5 or z=40% removes the side that faces the eye, z<5 keeps what is below 5, z>5 keeps what is above; 1,1,0=5 is a plane with the normal 1,1,0. May be given several times."`
	ClipBox      recipe.Box     `group:"view" placeholder:"BOX" help:"Keep what lies in a box: X0,Y0,Z0,X1,Y1,Z1."`
	Add          additionsFlag  `group:"view" placeholder:"MESH" help:"Another mesh in the same picture: MESH:color=RRGGBB:up=AXIS:scale=F:rotate=X,Y,Z:move=X,Y,Z, each of these if wanted. May be given several times."`
	Against      additionsFlag  `group:"colors" placeholder:"MESH" help:"Colour by the signed distance from another mesh, which is not drawn: MESH:up=AXIS:scale=F:rotate=X,Y,Z:move=X,Y,Z, as --add has it."`
	PartColor    partColorsFlag `group:"colors" placeholder:"PART=COLOR" help:"Colour of a part of the mesh, by its number as info lists it, from 0, or by its name. May be given several times."`
	Only         partsFlag      `group:"view" placeholder:"PART" help:"Show this part of the mesh alone, by its number or name. May be given several times."`
	Hide         partsFlag      `group:"view" placeholder:"PART" help:"Do not show this part of the mesh. May be given several times."`
	SectionColor cutColorFlag   `group:"view" default:"c9885b" placeholder:"COLOR" help:"Colour of cuts; open leaves them open (${default})."`
}

// hasCuts reports whether the mesh is cut.
func (f *sectionFlags) hasCuts() bool { return len(f.Section) > 0 || f.ClipBox != recipe.Box{} }

// planesFlag is a list of planes.
type planesFlag []recipe.Plane

// Decode implements kong.MapperValue. Each call adds planes, which are separated by semicolons.
func (f *planesFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeList(ctx, f, ";", SignedNumber)
}

// dimensionsFlag is a list of pairs of points.
type dimensionsFlag []recipe.Dimension

// Decode implements kong.MapperValue. Each call adds pairs, which are separated by semicolons.
func (f *dimensionsFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeList(ctx, f, ";", SignedNumber)
}

// partsFlag is a list of names of parts.
type partsFlag []recipe.Part

// Decode implements kong.MapperValue. Each call adds parts, which are separated by line ends.
func (f *partsFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeList(ctx, f, "\n", func(string) bool { return false })
}

// partColorsFlag is a list of colours of parts.
type partColorsFlag []recipe.PartColor

// Decode implements kong.MapperValue. Each call adds colours, which are separated by line ends.
func (f *partColorsFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeList(ctx, f, "\n", func(string) bool { return false })
}

// decodeList appends the values of a flag, which are separated by separator, to a list. The function dash reports
// whether a text that begins with a dash is a value and not another flag.
func decodeList[L ~[]T, T any, P interface {
	*T
	encoding.TextUnmarshaler
}](ctx *kong.DecodeContext, to *L, separator string, dash func(string) bool) error {
	s, err := PopValue(ctx, dash)
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(s, separator) {
		if separator != "\n" {
			text = strings.TrimSpace(text)
		}
		var one T
		if err := P(&one).UnmarshalText([]byte(text)); err != nil {
			return err
		}
		*to = append(*to, one)
	}
	return nil
}

// additionsFlag is a list of further meshes.
type additionsFlag []recipe.Mesh

// Decode implements kong.MapperValue. Each call adds meshes.
func (f *additionsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, func(string) bool { return false })
	if err != nil {
		return err
	}
	for one := range strings.SplitSeq(s, "\n") { // only values from a recipe have several lines
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
