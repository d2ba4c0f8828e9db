package part

import (
	"context"
	"errors"
	"fmt"
	"image"

	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/internal/sources"
	"lockstep/scenes"
)

// MostPixels is the largest width or height of a picture.
const MostPixels = 1 << 16

// DefaultMemory is the default of BandOptions.Memory in bytes. It suffices for some 300 rows of a picture that is
// MostPixels wide. With more memory, bands have more rows, and the mesh is drawn less often. But the system takes
// time to provide more memory.
const DefaultMemory = 512 << 20

// BandOptions are the options for drawing a picture in bands, and the memory for it.
type BandOptions struct {
	// Options are the options of the picture. Width and Height may be up to MostPixels, and have no defaults here.
	render.Options
	// Memory is the largest memory in bytes for a band, including a frame for each worker of the renderer. 0 means
	// DefaultMemory. Too little memory for RowStep rows is an error.
	Memory int64
	// Workers is the number of workers whose frames the method Bytes counts. 0 means 1. The function Bands ignores
	// it, and counts the workers of its renderer instead. The method Page does not copy it to Options.Workers.
	Workers int
	// Overlap adds RowStep rows of the neighbouring bands above and below each band. Code that draws over a band may
	// need them, because it reads the pixels around a pixel.
	Overlap bool
	// Part is the needed part of the picture; empty means the whole picture. There are bands only for the rows of
	// Part. Bands are as wide as the picture, but columns far outside Part are undefined.
	Part image.Rectangle

	// ShowsBehind says that glass shows the surfaces behind it. This takes memory for a further picture, see the
	// function footprint.ShowsBehind. The function Bands ignores this field and asks its source instead.
	ShowsBehind bool

	// Camera is the camera of the picture, or nil. The margins of bands must be wide enough for the occlusion in
	// pictures of this camera. If Camera is nil, margins are wide enough for any camera.
	Camera *render.Camera

	// pageSide is the width and height of a page without its margin. 0 means half of the largest size that a renderer
	// can draw.
	pageSide int
}

// A Band holds some rows of the picture.
type Band struct {
	Picture *render.Picture // its first row is row Top of the whole picture; the next band reuses its memory
	Top     int
	Lo, Hi  int // rows of the whole picture that belong to this band, Hi exclusive
}

// Own returns the pixels of rows Lo to Hi. It excludes rows of other bands that Picture may also hold.
func (b *Band) Own() []byte {
	w := b.Picture.Width
	return b.Picture.Pix[4*w*(b.Lo-b.Top) : 4*w*(b.Hi-b.Top)]
}

// A MemoryError reports that a picture needs more memory for its smallest band than is allowed. Need is the needed
// memory, and Have the allowed memory.
type MemoryError struct{ Need, Have int64 } // bytes

func (e *MemoryError) Error() string {
	const mib = 1 << 20
	return fmt.Sprintf("the picture needs at least %.1f MiB of memory, in bands of %d rows, and %.1f are allowed", float64(e.Need)/mib, RowStep, float64(e.Have)/mib)
}

// A plan describes how a picture is cut into pages and bands. A page is a part of the picture that a renderer can draw
// at once. The precision of the renderer's coordinates limits the size of a page. A band is a range of rows. Memory
// limits the number of rows of a band.
type plan struct {
	o      BandOptions
	page   image.Point // size of a page without its margin
	reach  int         // largest distance between a pixel and the pixels on which its light depends
	margin int         // pixels around a page that are drawn together with it
	rows   int         // largest number of rows that belong to one band
}

// Page returns the options with which the caller must create the renderer for Bands. They are the options of a page.
// A page is a part of the picture that one renderer can draw.
func (o BandOptions) Page() (render.Options, error) {
	p, err := o.plan()
	if err != nil {
		return render.Options{}, err
	}
	return p.largestPage(), nil
}

// Fits reports whether one renderer can draw the picture as a single page. In that case the picture has the same bits
// as with Renderer.Frame.
func (o BandOptions) Fits() bool {
	p, err := o.plan()
	return err == nil && p.page == image.Point{o.Width, o.Height}
}

// Bytes returns the memory in bytes that a band of the given number of rows needs with Workers workers, without the
// mesh. If the options have eye-dome light, Bytes always counts its memory. The function Bands counts this memory
// only if its source is a scenes.Points.
func (o BandOptions) Bytes(rows int) (int64, error) {
	p, err := o.plan()
	if err != nil {
		return 0, err
	}
	return p.bytes(rows)
}

// plan determines how the picture is cut into pages.
func (o BandOptions) plan() (*plan, error) {
	if o.Width < 1 || o.Height < 1 || o.Width > MostPixels || o.Height > MostPixels {
		return nil, fmt.Errorf("size %dx%d: expected 1x1 to %dx%d", o.Width, o.Height, MostPixels, MostPixels)
	}
	grid := map[int]int{0: 1, 1: 1, 4: 2, 16: 4}[o.Samples]
	if grid == 0 {
		return nil, fmt.Errorf("samples %d: expected 1, 4 or 16", o.Samples)
	}
	most := render.MaxPixels / grid
	p := &plan{o: o, reach: reach(&o.Options, o.Camera)}
	p.margin = (p.reach + 2*RowStep - 1) / RowStep * RowStep
	own := most / 2
	if o.pageSide != 0 {
		own, most = o.pageSide, o.pageSide
	}
	p.page = image.Point{own, own}
	if o.Width <= most {
		p.page.X = o.Width
	}
	if o.Height <= most {
		p.page.Y = o.Height
	}
	return p, nil
}

// part returns the part of the picture that is needed.
func (p *plan) part() image.Rectangle {
	whole := image.Rect(0, 0, p.o.Width, p.o.Height)
	if p.o.Part.Empty() {
		return whole
	}
	return p.o.Part.Intersect(whole)
}

// pages returns the number of pages horizontally and vertically.
func (p *plan) pages() image.Point {
	return image.Point{(p.o.Width + p.page.X - 1) / p.page.X, (p.o.Height + p.page.Y - 1) / p.page.Y}
}

// pageRects returns two rectangles of a page: `own` with the pixels that belong to the page, and `drawn` with the
// margin around them as well. The margin is drawn because the light of the page depends on it.
func (p *plan) pageRects(column, row int) (own, drawn image.Rectangle) {
	whole := image.Rect(0, 0, p.o.Width, p.o.Height)
	own = image.Rect(column*p.page.X, row*p.page.Y, (column+1)*p.page.X, (row+1)*p.page.Y).Intersect(whole)
	return own, own.Inset(-p.margin).Intersect(whole)
}

// largestPage returns the options of a renderer that can draw every page.
func (p *plan) largestPage() render.Options {
	o := p.o.Options
	o.Width, o.Height = min(p.page.X+2*p.margin, o.Width), min(p.page.Y+2*p.margin, o.Height)
	return o
}

// bytes returns the memory in bytes that a band of the given number of rows needs.
func (p *plan) bytes(rows int) (int64, error) {
	if p.o.Overlap {
		rows += 2 * RowStep
	}
	page := p.largestPage()
	worker, shared, err := rowsBytes(page, min(rows, page.Height), p.reach, p.o.ShowsBehind)
	if err != nil {
		return 0, err
	}
	// Bytes per pixel of the whole band, of an encoder's copy of the band, and of annotations drawn over the band.
	const band = 4 + 8 + 1
	perPixel := int64(band)
	if p.o.Depth {
		perPixel += 4
	}
	if p.o.Triangles {
		perPixel += 4
	}
	if p.o.Normals {
		perPixel += 12
	}
	return int64(max(p.o.Workers, 1))*worker + shared + perPixel*int64(p.o.Width)*int64(rows), nil
}

// setRows sets p.rows to the largest number of rows that memory allows. If that is less than RowStep, it returns a
// *MemoryError.
func (p *plan) setRows() error {
	memory := p.o.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	low, high := 0, (p.page.Y+RowStep-1)/RowStep
	for low < high {
		middle := (low + high + 1) / 2
		need, err := p.bytes(middle * RowStep)
		switch {
		case err != nil:
			return err
		case need <= memory:
			low = middle
		default:
			high = middle - 1
		}
	}
	if low == 0 {
		need, err := p.bytes(RowStep)
		if err != nil {
			return err
		}
		return &MemoryError{need, memory}
	}
	p.rows = low * RowStep
	return nil
}

// Bands draws a picture of a source in bands. It calls the function `each` with every band, from the top to the
// bottom. The renderer r must have the options that Page returns. cam is the camera of the whole picture. The Stats
// are sums over all bands: a triangle counts once in each band.
//
// Bands returns the errors of DrawRows and of `each`. If memory does not suffice for the smallest band, it returns a
// *MemoryError. A picture that shows nothing is not an error.
func Bands(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, o BandOptions, each func(Band) error) (render.Stats, error) {
	var sum render.Stats
	if each == nil {
		return sum, errors.New("draw bands: expected a function for bands")
	}
	if r == nil {
		return sum, errors.New("draw bands: expected a renderer")
	}
	if err := sources.Check(ctx, source); err != nil {
		return sum, fmt.Errorf("draw bands: %w", err)
	}
	o.Options = footprint.Of(o.Options, source)
	o.ShowsBehind = footprint.ShowsBehind(o.Options, source.Info().Attributes)
	o.Workers = r.Machine().Workers() // all workers of the renderer have frames
	p, err := o.plan()
	if err != nil {
		return sum, err
	}
	if p.o.Camera == nil {
		p.o.Camera = &cam
		if p, err = p.o.plan(); err != nil {
			return sum, err
		}
	}
	if err := p.setRows(); err != nil {
		return sum, err
	}
	d := &drawing{plan: p, r: r, source: source, cam: cam, sum: &sum}
	part := p.part()
	for row := range p.pages().Y {
		own, drawn := p.pageRects(0, row)
		for lo := max(own.Min.Y, wholeSteps(part.Min.Y)); lo < min(own.Max.Y, part.Max.Y); lo += p.rows {
			b := Band{Lo: max(lo, part.Min.Y), Hi: min(lo+p.rows, own.Max.Y, part.Max.Y), Top: lo}
			bottom := min(wholeSteps(b.Hi+RowStep-1), own.Max.Y)
			if o.Overlap {
				b.Top, bottom = max(lo-RowStep, drawn.Min.Y), min(bottom+RowStep, drawn.Max.Y)
			}
			if err := d.drawBand(ctx, row, b.Top, bottom); err != nil {
				return sum, err
			}
			if b.Picture = &d.whole; p.pages().X == 1 {
				b.Picture = &d.pic
			}
			if err := each(b); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// wholeSteps rounds a row down to a multiple of RowStep.
func wholeSteps(row int) int { return row / RowStep * RowStep }

// drawing is the state of a picture that is being drawn.
type drawing struct {
	*plan
	r         *render.Renderer
	source    scenes.Source
	cam       render.Camera
	sum       *render.Stats
	partCount int            // number of parts drawn so far
	pic       render.Picture // rows of one page that were drawn last
	whole     render.Picture // a whole band, assembled from pages beside one another
}

// drawBand draws rows lo to hi (exclusive) of the picture. These rows lie in the pages of one row of pages or in the
// margins of these pages. The parameter row is the number of that row of pages.
func (d *drawing) drawBand(ctx context.Context, row, lo, hi int) error {
	pages, part := d.pages(), d.part().Inset(-RowStep)
	for column := range pages.X {
		own, drawn := d.pageRects(column, row)
		if own.Max.X <= part.Min.X || own.Min.X >= part.Max.X {
			continue
		}
		cam := d.cam
		if pages != (image.Point{1, 1}) {
			cam = cam.Window(d.o.Width, d.o.Height, drawn)
		}
		if o := d.r.Options(); o.Width != drawn.Dx() || o.Height != drawn.Dy() {
			o.Width, o.Height = drawn.Dx(), drawn.Dy()
			if err := d.r.SetOptions(o); err != nil {
				return err
			}
		}
		stats, err := DrawRows(ctx, d.r, d.source, cam, Rows{lo - drawn.Min.Y, hi - drawn.Min.Y}, &d.pic)
		if err != nil {
			return err
		}
		if d.partCount++; d.partCount == 1 {
			*d.sum = stats
		} else {
			d.sum.Add(&stats)
		}
		if pages.X > 1 {
			d.copyPage(own, drawn.Min.X, hi-lo)
		}
	}
	return nil
}

// copyPage copies the columns `own` of a page from d.pic into the band. Column 0 of d.pic is column number `left` of
// the whole picture. rows is the number of rows of the band.
func (d *drawing) copyPage(own image.Rectangle, left, rows int) {
	w, from := &d.whole, &d.pic
	w.Width, w.Height = d.o.Width, rows
	c := ownColumns{own, left, w.Width, from.Width, rows}
	w.Pix = copyColumns(w.Pix, from.Pix, 4, c)
	w.Depth = copyColumns(w.Depth, from.Depth, 1, c)
	w.Coverage = copyColumns(w.Coverage, from.Coverage, 1, c)
	w.Triangles = copyColumns(w.Triangles, from.Triangles, 1, c)
	w.Normals = copyColumns(w.Normals, from.Normals, 1, c)
}

// ownColumns describes the columns that belong to one page, and their positions in the page and in the band.
type ownColumns struct {
	image.Rectangle        // its columns are those of the page, without the margin
	left               int // column of the picture with which the page begins, margin included
	toWidth, fromWidth int // width of the band, and width of the page with its margin
	rows               int
}

// copyColumns copies the columns that c describes from a page (`from`) to a band (`to`). It returns the slice of the
// band, which is reallocated if it was too small. A pixel has n elements. If `from` is nil, the result is nil.
func copyColumns[T any](to, from []T, n int, c ownColumns) []T {
	if from == nil {
		return nil
	}
	if need := n * c.toWidth * c.rows; cap(to) < need {
		to = make([]T, need)
	} else {
		to = to[:need]
	}
	for y := range c.rows {
		copy(to[n*(y*c.toWidth+c.Min.X):n*(y*c.toWidth+c.Max.X)], from[n*(y*c.fromWidth+c.Min.X-c.left):])
	}
	return to
}
