package pictureflags

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// ReadFlags holds the flags that every command for reading a mesh has.
type ReadFlags struct {
	Strict       bool      `xor:"damage" help:"Refuse a damaged file."`
	Lenient      bool      `xor:"damage" group:"limits" help:"Draw the whole parts of a damaged file, and warn (the default)."`
	Unit         unitFlag  `placeholder:"UNIT" help:"Unit of files that state none: mm, cm, m, in ..."`
	Clip         string    `group:"view" placeholder:"NAME" help:"Animation of the file, by name or number: animate and film play it, others show the mesh as it begins, or at --time."`
	Time         *timeFlag `group:"view" placeholder:"SECONDS" help:"Show the mesh at this time of --clip, or of the first animation of the file."`
	With         string    `group:"limits" enum:",gmsh" default:"" placeholder:"PROGRAM" help:"Have meshes made of models in STEP, IGES and BREP by an installed program: gmsh."`
	MaxTriangles countFlag `group:"limits" placeholder:"N" help:"Refuse a mesh of more triangles: 500000, 2M ..."`
	MaxMemory    Bytes     `group:"limits" placeholder:"BYTES" help:"Refuse a mesh that takes more memory while it is read: 800M, 2G ..."`
}

// Options returns the options for reading.
func (f *ReadFlags) Options() scenes.ReadOptions {
	return scenes.ReadOptions{Strict: f.Strict, MaxTriangles: int64(f.MaxTriangles), MaxMemory: int64(f.MaxMemory)}
}

// Picture returns a recipe with only a mesh, for commands that do not draw the mesh.
func (f *ReadFlags) Picture(mesh string, format MeshFormat, up *UpFlags) recipe.Picture {
	return recipe.Picture{
		Meshes: []recipe.Mesh{{File: mesh, Format: string(format), Up: up.upOf(mesh)}}, Up: up.Up.text(), Unit: string(f.Unit),
		Clip: f.Clip, Time: (*float64)(f.Time),
	}
}

// A timeFlag is a time in seconds.
type timeFlag float64

// Decode implements kong.MapperValue.
func (f *timeFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(strings.TrimSuffix(s, "s"), 1)
	if !ok || v[0] < 0 {
		return fmt.Errorf("%q: expected seconds, 0 or more", s)
	}
	*f = timeFlag(v[0])
	return nil
}

// A unitFlag is the name of a unit, or empty if the flag is not given.
type unitFlag string

// Decode implements kong.MapperValue.
func (f *unitFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	if _, ok := recipe.Units()[strings.ToLower(s)]; !ok {
		return fmt.Errorf("%q: expected um, mm, cm, m, in or ft", s)
	}
	*f = unitFlag(s)
	return nil
}

// A MeshFormat is the name of a mesh format. If it is empty, the format is recognized by the contents of the file.
type MeshFormat string

// Decode implements kong.MapperValue.
func (f *MeshFormat) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	s = strings.ToLower(s)
	if s == "auto" {
		s = ""
	} else if names := load.Names(); !slices.Contains(names, s) {
		return fmt.Errorf("%q: expected auto or %s", s, strings.Join(names, ", "))
	}
	*f = MeshFormat(s)
	return nil
}

// A Format is the value of --format: the format of the picture, the format of the mesh, or both with a comma. An empty
// field means that the name or the contents of the file determine the format.
type Format struct{ Picture, Mesh string }

// Decode implements kong.MapperValue.
func (f *Format) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	for word := range strings.SplitSeq(strings.ToLower(s), ",") {
		switch {
		case word == "auto":
		case word == "png" || word == "jpeg" || word == "tiff" || word == "bmp" || word == "webp" || word == "svg" || word == "pdf":
			f.Picture = word
		case slices.Contains(load.Names(), word):
			f.Mesh = word
		default:
			return fmt.Errorf("%q: expected auto, png, jpeg, tiff, bmp, webp, svg, pdf, or a format of meshes: %s", s, strings.Join(load.Names(), ", "))
		}
	}
	return nil
}

// popUnits returns the value of a flag, a positive number, rounded down to a whole number. The number may end with K,
// M, G or T, which multiply it by base, base², base³ or base⁴. The parameter what is the noun for the number in errors.
func popUnits(ctx *kong.DecodeContext, base int64, what string) (int64, error) {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return 0, err
	}
	scale, digits := int64(1), strings.TrimSuffix(strings.ToUpper(s), "B")
	if n := len(digits); n > 0 {
		if power := strings.IndexByte("KMGT", digits[n-1]); power >= 0 {
			for range power + 1 {
				scale *= base
			}
			digits = strings.TrimSpace(digits[:n-1])
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if v *= float64(scale); err != nil || !(v >= 1 && v <= math.MaxInt64/2) {
		return 0, fmt.Errorf("%q: expected %s above 0, such as 800M", s, what)
	}
	return int64(v), nil
}

// A countFlag is a number of triangles, or 0 if the flag is not given.
type countFlag int64

// Decode implements kong.MapperValue.
func (f *countFlag) Decode(ctx *kong.DecodeContext) error {
	v, err := popUnits(ctx, 1000, "a number")
	*f = countFlag(v)
	return err
}

// Bytes is a number of bytes, or 0 if the flag is not given.
type Bytes int64

// Decode implements kong.MapperValue.
func (f *Bytes) Decode(ctx *kong.DecodeContext) error {
	v, err := popUnits(ctx, 1024, "bytes")
	*f = Bytes(v)
	return err
}
