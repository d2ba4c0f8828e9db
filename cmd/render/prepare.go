package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// A prepareCommand writes a mesh as a file of which pictures read only what they may show.
type prepareCommand struct {
	Mesh        pictureflags.Path `arg:"" name:"in" help:"Mesh file, - for standard input, or a scene."`
	Output      pictureflags.Path `short:"o" placeholder:"FILE" help:"File to write (MESH's name with .lkm); - is standard output."`
	Crease      float64           `default:"35" placeholder:"DEG" help:"Sharpest edge that smooth shading rounds off, in degrees (${default})."`
	FlatNormals bool              `help:"Store no normals: the mesh is shaded flat."`
	Workers     int               `placeholder:"N" help:"Worker threads (0: one a core)."`

	pictureflags.UpFlags
	pictureflags.ReadFlags
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read IN as stl, ply, obj, ... (by its contents)."`
}

// target returns the name of the file to write.
func (c *prepareCommand) target() (string, error) {
	if c.Output != "" {
		return string(c.Output), nil
	}
	name := string(c.Mesh)
	if name == "-" || strings.HasPrefix(name, "scene:") {
		return "", cli.Usagef("%s has no name to write to: expected -o FILE.lkm", recipe.Name(name))
	}
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".lkm", nil
}

// run reads the mesh, finds its normals and the order of its triangles, and writes them.
func (c *prepareCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	if !(c.Crease > 0 && c.Crease <= 180) {
		return cli.Usagef("--crease %g: expected a number above 0, at most 180", c.Crease)
	}
	name, err := c.target()
	if err != nil {
		return err
	}
	if _, err := a.CheckTargets(string(c.Mesh), name); err != nil {
		return err
	}
	file, err := a.create(name)
	if err != nil {
		return err
	}
	defer file.Abort()
	s, in, err := c.surface(ctx, a)
	if err != nil {
		return err
	}
	defer in.Close()
	to := bufio.NewWriterSize(file, 1<<20)
	err = s.WritePrepared(ctx, to, in.Bad, c.Workers)
	if err == nil {
		err = to.Flush()
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return atomicfile.Failure(err)
	}
	if err := file.Commit(); err != nil {
		return err
	}
	c.announce(a, name, s.Len())
	return nil
}

// surface reads the mesh and finds its normals.
func (c *prepareCommand) surface(ctx context.Context, a *app) (*render.Surface, *input, error) {
	a.measure()
	o := render.Options{Width: 1, Height: 1, Workers: c.Workers, Light: render.LightStudio, Occlusion: true, Crease: c.Crease}
	if !c.FlatNormals {
		o.Shading = render.ShadingSmooth
	}
	d := a.drawer(c.ReadFlags.Options(), &a.memory)
	d.Workers, d.Resident = c.Workers, true
	p := c.Picture(string(c.Mesh), c.Format, &c.UpFlags)
	in, err := a.read(ctx, d, p, false, o)
	if err != nil {
		return nil, nil, err
	}
	s, ok := in.Source.(*render.Surface)
	switch {
	case in.Source.Len() == 0:
		err = in.Blank("there are no triangles in it")
	case !ok:
		err = cli.Usagef("%s: there is no memory for all of it", in.Name)
	case !c.FlatNormals && !s.Smooth():
		err = cli.Usagef("%s: there is no memory to find its normals: expected --flat-normals", in.Name)
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	s.Mesh.Up = p.UpOf(in)
	return s, in, nil
}

// announce prints one line about what was written, for people at a terminal.
func (c *prepareCommand) announce(a *app, name string, triangles int) {
	f, ok := a.Stderr.(*os.File)
	if a.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	fmt.Fprintf(f, "render: %s: %s, %d ms\n", cli.OneLine(outputName(name)), cli.Plural(int64(triangles), "triangle"), time.Since(a.Began).Milliseconds())
}

// SplitUps is called by the parser when all is read. It may be called again.
func (c *prepareCommand) SplitUps() error { return c.SplitNames(&c.Mesh, nil) }
