package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render/recipe"
	"lockstep/scenes/distance"

	"github.com/alecthomas/kong"
)

// A diffCommand measures the distances between the surfaces of two meshes.
type diffCommand struct {
	Output    pictureflags.Path `short:"o" placeholder:"FILE" help:"Also draw A in the colours of its distance from B."`
	Tolerance toleranceFlag     `placeholder:"T" help:"Exit with 7 if the meshes are farther than T apart."`
	JSON      bool              `name:"json" help:"Print one JSON object."`

	pictureflags.Draw
	Format pictureflags.Format `placeholder:"KIND" help:"png, jpeg, ... (of the picture), stl, ... (of MESH)."`
	Other  pictureflags.Path   `arg:"" optional:"" name:"other" help:"Mesh to compare with: MESH:move=X,Y,Z ..., as --add has it."`
}

// A toleranceFlag is a length of at least 0.
type toleranceFlag struct {
	isSet  bool
	length float64
}

// Decode implements kong.MapperValue.
func (f *toleranceFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := pictureflags.PopValue(ctx, pictureflags.SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, 1)
	if !ok || !(v[0] >= 0) || math.IsInf(v[0], 0) {
		return fmt.Errorf("%q: expected a length of at least 0", s)
	}
	*f = toleranceFlag{true, v[0]}
	return nil
}

// run compares the meshes. It draws a picture if an output is named, and then prints the numbers.
func (c *diffCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	c.MeshFormat = c.Format.Mesh
	if err := c.check(a); err != nil {
		return err
	}
	if c.DumpRecipe {
		ic := &imageCommand{Draw: c.Draw}
		return ic.printRecipe(a, out)
	}
	a.keepCompared = true
	var d *comparison
	var err error
	if c.Output != "" {
		d, err = c.draw(ctx, a)
	} else {
		d, err = c.measure(ctx, a)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		err = d.printJSON(out)
	} else {
		err = d.print(out)
	}
	if err != nil || d.Within == nil || *d.Within {
		return err
	}
	return &cli.Error{Code: cli.Differs, Err: fmt.Errorf("%s and %s are %.6g apart, more than %g", d.A.Path, d.B.Path, d.Hausdorff, c.Tolerance.length)}
}

// check returns an error unless there are two meshes and the output can show distances. It appends the second mesh to
// the flag --against.
func (c *diffCommand) check(a *app) error {
	switch name := string(c.Other); {
	case name == "" && len(c.Against) == 0:
		return cli.Usagef("expected two meshes: render diff A B")
	case name == "":
	case len(c.Against) > 0:
		return cli.Usagef("--against: the mesh to compare with is %s", name)
	case name == "-":
		return cli.Usagef("-: only the first mesh can come from standard input")
	default:
		m, err := parseOtherMesh(name)
		if err != nil {
			return cli.Usagef("%w", err)
		}
		c.Against = append(c.Against, m)
	}
	if c.Field != "" && c.Field != distance.FieldName {
		return cli.Usagef("--field %s: diff draws the field %s: render MESH --field %[1]s draws that one", c.Field, distance.FieldName)
	}
	if isVector(pictureKind(string(c.Output), c.Format.Picture)) {
		return cli.Usagef("-o %s: distances are drawn as colours, and a drawing has lines alone: expected .png, .jpg, .tif, .bmp or .webp", c.Output)
	}
	if c.Output == "-" {
		return cli.Usagef("-o -: the numbers go to standard output: expected a file, or render A --against B -o -")
	}
	for _, mesh := range []string{string(c.Mesh), c.Against[0].File} {
		if _, err := a.CheckTargets(mesh, string(c.Output), "-"); err != nil {
			return err
		}
	}
	c.Legend = true
	return nil
}

// parseOtherMesh parses the second mesh, which is a file name and possibly a placement. A name of an existing file is
// not parsed further.
func parseOtherMesh(name string) (recipe.Mesh, error) {
	if _, err := os.Stat(name); err == nil {
		return recipe.Mesh{File: name}, nil
	}
	return recipe.ParseMesh(name)
}

// draw compares the meshes and draws the first one.
func (c *diffCommand) draw(ctx context.Context, a *app) (d *comparison, err error) {
	ic := &imageCommand{Output: c.Output, Draw: c.Draw, Format: c.Format}
	err = ic.drawOne(ctx, a, func(w *pipeline) error {
		d, err = c.compareBothWays(ctx, a, w.Input)
		return err
	})
	return d, err
}

// measure compares the meshes without drawing.
func (c *diffCommand) measure(ctx context.Context, a *app) (*comparison, error) {
	if err := a.checkDrawing(&c.Draw); err != nil {
		return nil, err
	}
	a.warnIgnored(&c.Draw, pictureflags.RuleContext{Read: c.Format.Mesh != ""}, c.ignoredRule())
	p := c.Picture()
	p.Size, p.Crop = recipe.Size{Width: 1, Height: 1}, recipe.Rect{}
	p.Look.Shading, p.Look.Occlusion = "flat", "off" // no normals are needed
	in, err := a.readInput(ctx, a.newDrawer(&c.Draw), p, false, p.RenderOptions())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return c.compareBothWays(ctx, a, in)
}

// ignoredRule returns the rule for a comparison without a picture: flags for pictures have no effect, because the
// measured distances do not depend on them.
func (c *diffCommand) ignoredRule() pictureflags.Rule {
	r := pictureflags.Rule{Why: "without -o nothing is drawn"}
	own, err := commandLine.FlagsOf("info")
	draws, err2 := commandLine.FlagsOf("diff")
	if err != nil || err2 != nil {
		return r
	}
	kept := map[string]bool{"output": true, "tolerance": true, "workers": true, "against": true, "config": true, "recipe": true, "dump-recipe": true}
	for _, f := range own {
		kept[f.Name] = true
	}
	for _, f := range draws {
		if !kept[f.Name] {
			r.Flags += " " + f.Name
		}
	}
	return r
}

// compareBothWays returns the distances from A to B and from B to A. The distances from A to B were measured when the
// input was opened.
func (c *diffCommand) compareBothWays(ctx context.Context, a *app, in *input) (*comparison, error) {
	defer a.Progress.End()
	both := in.Compared
	back, err := both.Back(ctx, distance.Options{Workers: int(c.Workers), Progress: a.compareProgress()})
	if err != nil {
		return nil, cli.DrawingError(err)
	}
	d := &comparison{
		A: describeSide(both, 0, both.Forth), B: describeSide(both, 1, back),
		Unit: in.Unit, Forward: summarizeDistances(both.Forth, c.Tolerance), Back: summarizeDistances(back, c.Tolerance),
		Hausdorff: max(both.Forth.Max(), back.Max()),
	}
	if c.Tolerance.isSet {
		d.Tolerance, d.Within = &c.Tolerance.length, new(d.Hausdorff <= c.Tolerance.length)
	}
	return d, nil
}

// SeparateAxesFromNames separates the up axis and the placement from the name of the mesh. The parser calls it after
// reading all flags, possibly several times.
func (c *diffCommand) SeparateAxesFromNames() error { return c.SplitMeshes(nil, nil) }
