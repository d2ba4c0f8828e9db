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

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
	"lockstep/scenes/save"
)

// A prepareCommand writes a mesh as a prepared file. To draw a picture of a prepared file, only the parts that may be
// visible are read.
type prepareCommand struct {
	Mesh        pictureflags.Path `arg:"" name:"in" help:"Mesh file, - for standard input, or a scene."`
	Output      pictureflags.Path `short:"o" placeholder:"FILE" help:"File to write; - is output (IN with .lkm)."`
	Crease      float64           `default:"35" placeholder:"DEG" help:"Sharpest edge that is rounded off, in degrees (${default})."`
	FlatNormals bool              `help:"Store no normals: the mesh is shaded flat."`
	Workers     int               `placeholder:"N" help:"Worker threads (0: one a core)."`

	pictureflags.UpFlags
	pictureflags.ReadFlags
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read IN as stl, ply, obj, ... (by its contents)."`
}

// outputName returns the name of the file to write.
func (c *prepareCommand) outputName() (string, error) {
	if c.Output != "" {
		return string(c.Output), nil
	}
	name := string(c.Mesh)
	if name == "-" || strings.HasPrefix(name, "scene:") {
		return "", cli.Usagef("%s has no name to write to: expected -o FILE.lkm", recipe.Name(name))
	}
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".lkm", nil
}

// run reads the mesh, computes its normals and an order of its triangles, and writes the prepared file.
func (c *prepareCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	if !(c.Crease > 0 && c.Crease <= 180) {
		return cli.Usagef("--crease %g: expected a number above 0, at most 180", c.Crease)
	}
	name, err := c.outputName()
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
	in, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	defer in.Close()
	lost := c.lostDetails(in)
	if lost != "" && c.Strict {
		return cli.Inputf("%s", lost)
	}
	to := bufio.NewWriterSize(file, 1<<20)
	err = c.write(ctx, a, in, name, to)
	if err == nil {
		err = to.Flush()
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case cli.CodeOf(atomicfile.Failure(err)) == cli.Output:
		return atomicfile.Failure(err)
	default:
		return cli.DrawingError(recipe.ReadError(ctx, string(c.Mesh), nil, err))
	}
	if err := file.Commit(); err != nil {
		return err
	}
	if lost != "" {
		a.Warn("%s", lost)
	}
	c.announce(a, name, in.Source.Len())
	return nil
}

// lostDetails returns the details of a mesh that the prepared file does not contain, or "" if it contains all. Details
// are lost if the mesh does not fit into memory, because then only corners and colours are read.
func (c *prepareCommand) lostDetails(in *input) string {
	if _, ok := in.Source.(*render.Surface); ok {
		return ""
	}
	names := save.Unread(in.Source).Names()
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: the mesh does not fit into memory, so the prepared mesh does not keep %s", in.Name, strings.Join(names, ", "))
}

// open reads the mesh and computes its normals, if the flags require normals. A mesh that does not fit into memory is
// not read here, and has no normals.
func (c *prepareCommand) open(ctx context.Context, a *app) (*input, error) {
	a.measureMemory()
	o := render.Options{Width: 1, Height: 1, Workers: c.Workers, Light: render.LightStudio, Occlusion: true, Crease: c.Crease}
	if !c.FlatNormals {
		o.Shading = render.ShadingSmooth
	}
	account := c.readingAccount(a.memory, o)
	d := a.newReadingDrawer(&c.ReadFlags, &account)
	d.Workers, d.Resident = c.Workers, true
	in, err := a.readInput(ctx, d, c.picture(), false, o)
	if err != nil {
		return nil, err
	}
	s, ok := in.Source.(*render.Surface)
	switch {
	case in.Source.Len() == 0:
		err = in.Blank("there are no triangles in it")
	case !c.FlatNormals && !ok:
		err = cli.Usagef("%s: computing normals needs the whole mesh in memory, and it does not fit: expected --flat-normals", in.Name)
	case !c.FlatNormals && !s.Smooth():
		err = cli.Usagef("%s: there is too little memory to compute normals: expected --flat-normals", in.Name)
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// readingAccount returns the memory account for reading the mesh. It leaves memory to sort the triangles, and for a
// second copy of the normals. That copy is made when the mesh is written from memory.
func (c *prepareCommand) readingAccount(left budget.Account, o render.Options) budget.Account {
	all := int64(scenes.TriangleBytes + render.PreparingBytes)
	if !c.FlatNormals {
		all += 4 * (prepared.RecordWords + 3)
	}
	return left.Part(scenes.TriangleBytes, all, o)
}

func (c *prepareCommand) picture() recipe.Picture {
	return c.Picture(string(c.Mesh), c.Format, &c.UpFlags)
}

// write writes the mesh as a prepared file.
func (c *prepareCommand) write(ctx context.Context, a *app, in *input, name string, to io.Writer) error {
	up := c.picture().UpOf(in)
	if s, ok := in.Source.(*render.Surface); ok {
		s.Mesh.Up = up
		return s.WritePrepared(ctx, to, in.Bad, c.Workers)
	}
	folder := filepath.Dir(name)
	if name == "-" {
		folder = ""
	}
	temporary, err := os.CreateTemp(folder, ".lockstep-*")
	if err != nil {
		return &atomicfile.Error{File: folder, Err: err}
	}
	defer os.Remove(temporary.Name())
	defer temporary.Close()
	o := prepared.SourceOptions{
		Temporary: temporary, Bad: in.Bad, Workers: c.Workers, Progress: a.stageProgress("ordering"),
		Memory: c.sortingMemory(&a.memory, in.Source.Len()),
	}
	defer a.Progress.End()
	return render.WritePreparedFlat(ctx, to, withUp{in.Source, up}, o)
}

// fixedSortingBytes is the part of the memory of prepared.WriteSource that does not depend on how many triangles it
// sorts at once. Half of it holds groups of triangles while they are encoded. The rest holds buffers and tables.
const fixedSortingBytes = 32 << 20

// sortingMemory returns how many bytes prepared.WriteSource may use to sort a mesh of n triangles. This is at most half
// of the free memory, because garbage of one pass may still be in memory during the next pass.
func (c *prepareCommand) sortingMemory(left *budget.Account, n int) int64 {
	memory := int64(prepared.SourceMemory)
	if c.MaxMemory > 0 {
		memory = int64(c.MaxMemory) / 2
	}
	workers := int64(budget.WantedWorkers(render.Options{Workers: c.Workers}))
	beside := fixedSortingBytes + workers*budget.ReaderBytes + int64(n) // the last summand, n, is one byte per triangle for boxes of groups
	if left.Memory > 0 {
		memory = min(memory, (left.Memory-beside)/2)
	}
	if left.Limited {
		memory = min(memory, (left.Space-beside)/2)
	}
	return max(memory, 1) // not 0, which WriteSource would take for its default
}

// withUp is a source with another up axis.
type withUp struct {
	scenes.Source
	up scenes.Axis
}

// Info implements scenes.Source.
func (s withUp) Info() scenes.Info {
	info := s.Source.Info()
	info.Up = s.up
	return info
}

// announce prints a line about the written file, for people at a terminal.
func (c *prepareCommand) announce(a *app, name string, triangles int) {
	f, ok := a.Stderr.(*os.File)
	if a.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	fmt.Fprintf(f, "render: %s: %s, %d ms\n", phrase.OneLine(outputName(name)), phrase.Plural(int64(triangles), "triangle"), time.Since(a.Began).Milliseconds())
}

// SeparateAxesFromNames separates the up axis from the name of the mesh. The parser calls it after reading all flags,
// possibly several times.
func (c *prepareCommand) SeparateAxesFromNames() error { return c.SplitNames(&c.Mesh, nil) }
