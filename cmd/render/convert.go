package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
	"lockstep/scenes/obj"
	"lockstep/scenes/save"
)

// A convertCommand writes a mesh in another format.
type convertCommand struct {
	Mesh   pictureflags.Path `arg:"" name:"in" help:"Mesh file, - for standard input, or a scene."`
	Output pictureflags.Path `arg:"" name:"out" help:"File to write; - is standard output."`
	To     string            `placeholder:"FORMAT" help:"Format of OUT: stl, stl-ascii, ply, obj, glb, 3mf ... (by its name)."`

	pictureflags.UpFlags
	pictureflags.ReadFlags
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read IN as stl, ply, obj, ... (by its contents)."`
}

// format returns the format to write. The flag --to or the extension of the output determines it.
func (c *convertCommand) format() (save.Format, error) {
	rest, _ := save.SplitPacking(string(c.Output))
	name, flag := strings.ToLower(filepath.Ext(rest)), ""
	if c.Output == "-" {
		name = ""
	}
	if c.To != "" {
		name, flag = c.To, "--to "+c.To+": "
	}
	if f, ok := save.Find(name); ok && name != "" {
		return f, nil
	}
	var names []string
	for _, f := range save.Formats() {
		names = append(names, f.Name)
	}
	if flag == "" {
		flag = fmt.Sprintf("%s: no format by that name: expected --to FORMAT, or .stl, .ply, .obj, .off, .glb or .3mf; ", c.Output)
	}
	return save.Format{}, cli.Usagef("%sformats are %s", flag, strings.Join(names, ", "))
}

// run reads the mesh and writes it in the other format. It creates the output file first, so that a wrong name is
// reported early.
func (c *convertCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	format, err := c.format()
	if err != nil {
		return err
	}
	name := string(c.Output)
	if _, err := a.CheckTargets(string(c.Mesh), name); err != nil {
		return err
	}
	file, err := a.create(name)
	if err != nil {
		return err
	}
	defer file.Abort()
	beside := &besideFiles{app: a, mesh: string(c.Mesh)}
	defer beside.abort()
	if name != "-" {
		format = format.Beside(beside.folder(name))
	}
	a.measureMemory()
	picture := render.Options{Width: 1, Height: 1}
	d := a.newReadingDrawer(&c.ReadFlags, &a.memory)
	d.Resident = true
	in, err := a.readInput(ctx, d, c.Picture(string(c.Mesh), c.Format, &c.UpFlags), format.Streams() && c.Up.Axis == nil, picture)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Source.Len() == 0 {
		return in.Blank("there are no triangles in it")
	}
	if in.Bad == in.Source.Len() && format.Dropped(in.Source, in.Bad)&save.NotFinite != 0 {
		return in.Blank("no triangle of it has finite coordinates, and " + format.Name + " holds no others")
	}
	if err := c.turnToUp(in, &format); err != nil {
		return err
	}
	if err := c.write(ctx, a, in, &format, file); err != nil {
		return err
	}
	if err := beside.commit(); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	if dropped := format.Dropped(in.Source, in.Bad).Names(); len(dropped) > 0 {
		a.Warn("%s: %s does not hold %s: left out", outputName(name), format.Name, strings.Join(dropped, ", "))
	}
	c.announce(a, in, &format)
	return nil
}

// turnToUp rotates the mesh so that the up axis that the user gave becomes the up axis of the output format.
func (c *convertCommand) turnToUp(in *input, format *save.Format) error {
	if c.Up.Axis == nil {
		return nil
	}
	mesh := in.Mesh()
	if mesh == nil {
		return cli.Usagef("%s: --up needs the whole mesh in memory, and it does not fit", in.Name)
	}
	mesh.Stand(*c.Up.Axis, format.Up())
	return nil
}

// write writes the mesh to a file that is open already.
func (c *convertCommand) write(ctx context.Context, a *app, in *input, format *save.Format, file outFile) error {
	opts := c.ReadFlags.Options()
	opts.Name = in.Name
	short := a.memory.LimitMesh(&opts, render.Options{Width: 1, Height: 1})
	_, packing := save.SplitPacking(string(c.Output))
	packed, err := save.Packed(file, packing)
	if err == nil {
		err = format.Write(ctx, packed, in.Source, opts)
	}
	if err == nil {
		err = packed.Close()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case cli.CodeOf(atomicfile.Failure(err)) == cli.Output:
		return atomicfile.Failure(err)
	}
	return cli.DrawingError(recipe.ReadError(ctx, string(c.Mesh), short, err))
}

// besideFiles are the files of materials and textures beside a mesh. They are renamed to their final names when all of
// them are complete.
type besideFiles struct {
	app   *app
	mesh  string // name of the mesh that is read
	files []outFile
}

// folder returns the folder for the files that the writer of a mesh creates beside the mesh.
func (b *besideFiles) folder(output string) *obj.Folder {
	rest, _ := save.SplitPacking(output)
	stem := strings.TrimSuffix(filepath.Base(rest), filepath.Ext(rest))
	return &obj.Folder{Name: stem, Create: func(name string) (io.WriteCloser, error) {
		path := filepath.Join(filepath.Dir(output), name)
		if _, err := b.app.CheckTargets(b.mesh, output, path); err != nil {
			return nil, err
		}
		f, err := b.app.create(path)
		if err != nil {
			return nil, err
		}
		b.files = append(b.files, f)
		return notClosed{f}, nil
	}}
}

// notClosed is a file whose method Close does nothing, because besideFiles.commit closes the file later.
type notClosed struct{ io.Writer }

func (notClosed) Close() error { return nil }

func (b *besideFiles) commit() error {
	for _, f := range b.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

func (b *besideFiles) abort() {
	for _, f := range b.files {
		f.Abort()
	}
}

func outputName(name string) string {
	if name == "-" {
		return "standard output"
	}
	return name
}

// announce prints a line about the written file, for people at a terminal.
func (c *convertCommand) announce(a *app, in *input, format *save.Format) {
	f, ok := a.Stderr.(*os.File)
	if a.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	fmt.Fprintf(f, "render: %s: %s, %s, %d ms\n", phrase.OneLine(outputName(string(c.Output))), format.Name,
		phrase.Plural(int64(in.Source.Len()), "triangle"), time.Since(a.Began).Milliseconds())
}

// SeparateAxesFromNames separates the up axis from the name of the mesh. The parser calls it after reading all flags,
// possibly several times.
func (c *convertCommand) SeparateAxesFromNames() error { return c.SplitNames(&c.Mesh, nil) }
