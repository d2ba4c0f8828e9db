package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/recipe"
)

// A gridFlag is a number of columns and rows. If rows is 0, there are as many rows as the meshes need. The zero value
// means that the flag is not given.
type gridFlag struct{ columns, rows int }

// mostCells is the largest number of columns, and also of rows.
const mostCells = 1000

// Decode implements kong.MapperValue.
func (f *gridFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := pictureflags.PopValue(ctx, pictureflags.SignedNumber)
	if err != nil {
		return err
	}
	columns, rows, both := strings.Cut(s, "x")
	var errColumns, errRows error
	f.columns, errColumns = strconv.Atoi(columns)
	if both {
		f.rows, errRows = strconv.Atoi(rows)
	}
	if errColumns != nil || errRows != nil || f.columns < 1 || f.columns > mostCells || both && f.rows < 1 || f.rows > mostCells {
		return fmt.Errorf("%q: expected COLUMNSxROWS, or COLUMNS alone, up to %d", s, mostCells)
	}
	return nil
}

// A meshSheet is one picture of several meshes. Each mesh is in a cell of its own, with its name. The cells are filled
// row by row.
type meshSheet struct {
	grid gridFlag
	cell recipe.Size
	pic  render.Picture // the whole sheet
}

// leastCell is the least width and height of a cell in pixels.
const leastCell = 16

// newMeshSheet makes an empty sheet. The size of the sheet is the value of the flag --size. newMeshSheet then sets
// --size to the size of a cell, so that each mesh is drawn at that size. It returns nil if the flag for sheets is not
// given.
func (c *imageCommand) newMeshSheet(a *app) (*meshSheet, error) {
	if c.Sheet == (gridFlag{}) {
		return nil, nil
	}
	s := &meshSheet{grid: c.Sheet}
	n := len(c.meshes)
	if s.grid.rows == 0 {
		s.grid.rows = (n + s.grid.columns - 1) / s.grid.columns
	}
	if n > s.grid.columns*s.grid.rows {
		return nil, cli.Usagef("--sheet %dx%d: has %d cells, and there are %d meshes", s.grid.columns, s.grid.rows, s.grid.columns*s.grid.rows, n)
	}
	whole := c.Draw.Picture().Full().Size
	s.cell = recipe.Size{Width: whole.Width / s.grid.columns, Height: whole.Height / s.grid.rows}
	if s.cell.Width < leastCell || s.cell.Height < leastCell {
		return nil, cli.Usagef("--sheet %dx%d: expected a --size of at least %dx%d", s.grid.columns, s.grid.rows, leastCell*s.grid.columns, leastCell*s.grid.rows)
	}
	background := c.Draw.Picture().Full().Look.Background
	if background == recipe.Gradient { // a gradient would start anew in each cell, and empty cells would have none
		background = recipe.FastBackground
	}
	c.Size = s.cell
	for _, m := range c.meshes {
		if _, err := a.CheckTargets(m.mesh, string(c.Output)); err != nil {
			return nil, err
		}
	}
	s.pic = render.Picture{Width: whole.Width, Height: whole.Height, Pix: make([]byte, 4*whole.Width*whole.Height)}
	if rgb, ok := background.RGB(); ok {
		for i := 0; i < len(s.pic.Pix); i += 4 {
			copy(s.pic.Pix[i:], []byte{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255})
		}
	}
	return s, nil
}

// checkMeshSheet returns an error for flags that cannot be combined with a sheet of meshes.
func (c *imageCommand) checkMeshSheet() error {
	name := string(c.Output)
	kind := pictureKind(name, c.Format.Picture)
	switch {
	case c.Crop != (recipe.Rect{}) || c.Trim || c.Resume:
		return cli.Usagef("--sheet is one picture of many meshes: --crop, --trim and --resume do not go with it")
	case name == "" || name != "-" && (isFolderName(name) || framename.IsFolder(name)):
		return cli.Usagef("--sheet: expected one picture, such as -o all.png")
	case isVector(kind) || kind == "exr":
		return cli.Usagef("%s: --sheet has pixels: expected .png, .jpg, .tif, .bmp or .webp", name)
	case kind == "webp":
		if err := checkWebP(name, c.Size); err != nil {
			return err
		}
	}
	return checkFormat(name, c.Format.Picture)
}

// letterSize returns the size of the names in the cells, in pixels.
func (s *meshSheet) letterSize() float64 {
	return max(11, float64(min(s.cell.Width, s.cell.Height))/16)
}

// setCell copies the picture of a mesh into its cell. Several goroutines may call it at once for different meshes.
func (s *meshSheet) setCell(number int, pic *render.Picture) {
	x, y := number%s.grid.columns*s.cell.Width, number/s.grid.columns*s.cell.Height
	for row := range pic.Height {
		copy(s.pic.Pix[4*((y+row)*s.pic.Width+x):], pic.Pix[4*row*pic.Width:4*(row+1)*pic.Width])
	}
}

// writeSheet encodes the sheet and writes its file.
func (b *batch) writeSheet(ctx context.Context, out outFile) error {
	options := b.options
	options.Workers = b.app.memory.Workers(options)
	w, err := b.app.openPipeline(&b.flags.Draw, options)
	if err != nil {
		return err
	}
	defer w.Renderer.Close()
	w.kind = pictureKind(string(b.flags.Output), b.flags.Format.Picture)
	if w.kind == "webp" {
		b.app.warnDPI(string(b.flags.Output), w.dpi)
	}
	if err := w.encode(ctx, out, &b.sheet.pic, nil); err != nil {
		return err
	}
	return out.Commit()
}
