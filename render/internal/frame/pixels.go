package frame

import (
	"math"
	"time"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/view"
)

// Pixels describes where the pixels of a frame are written, and how keys become pixels.
type Pixels struct {
	Width int // width of the picture
	Rows  int // height of the frame
	First int // row of the frame that is the picture's first row
	Grid  int // samples along the side of a pixel
	Pix   []byte
	// Depth, Triangles, Normals and Coverage are nil if the options do not ask for them, see render.Picture.
	Depth       []float32
	Triangles   []uint32
	Normals     [][3]float32
	Coverage    []uint8
	Depths      view.Depths
	Background  uint32
	Loops       *pixel.Loops
	Downsampler *pixel.Downsampler // nil if a pixel has one sample
}

// Written holds one worker's counts and times of writing the pixels of a frame.
type Written struct {
	Covered        int64 // pixels with at least one sample covered
	Merge, Resolve time.Duration
}

// rows returns the rows of pixels of tile row ty, hi exclusive.
func (p *Pixels) rows(ty int) (lo, hi int) {
	rows := tile.Height / p.Grid
	return ty * rows, min((ty+1)*rows, p.Rows)
}

// pixelIndex returns the index in the picture of pixel (x, y) of the frame.
func (p *Pixels) pixelIndex(x, y int) int { return (y-p.First)*p.Width + x }

// nearness returns the memory of the pixels of rows lo to hi (exclusive) as floats. The floats hold the nearness of
// each pixel until the pixel is lit. A separate array would be a tenth of the memory of a process that draws one
// picture, and its page faults would take more time than the work on the floats.
func (p *Pixels) nearness(lo, hi int) []float32 {
	from, to := 4*p.pixelIndex(0, lo), 4*p.pixelIndex(0, hi)
	pix := p.Pix[from:to:to]
	if len(pix) == 0 || uintptr(unsafe.Pointer(&pix[0]))%4 != 0 { // the caller of Frame may provide memory that is not aligned
		return make([]float32, len(pix)/4)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&pix[0])), len(pix)/4)
}

// resolve writes part of a row of pixels from the keys of their samples. It returns the number of pixels that are
// covered. If touched is false, nothing was drawn there.
func (p *Pixels) resolve(pix []byte, keys []uint64, stride int, touched bool) (covered int) {
	switch {
	case !touched:
		p.Loops.Fill(pix, p.Background)
		return 0
	case p.Grid > 1:
		return p.Downsampler.Resolve(pix, keys, stride, p.Grid, p.Background)
	}
	return p.Loops.Resolve(pix, keys[:len(pix)/4], p.Background)
}

// resolveData writes the depths and the coverage of pixels `from` to `to`-1 of the picture, if the options ask for
// them.
func (p *Pixels) resolveData(from, to int, keys []uint64, stride int, touched bool) {
	if p.Depth != nil {
		p.resolveDepth(p.Depth[from:to], keys, stride, touched)
	}
	if p.Coverage != nil {
		p.resolveCoverage(p.Coverage[from:to], keys, stride, touched)
	}
}

// resolveCoverage writes the coverage of part of a row of pixels.
func (p *Pixels) resolveCoverage(coverage []uint8, keys []uint64, stride int, touched bool) {
	grid := p.Grid
	all := grid * grid
	for i := range coverage {
		n := 0
		for row := 0; touched && row < grid; row++ {
			for _, key := range keys[row*stride+grid*i : row*stride+grid*(i+1)] {
				if key != 0 {
					n++
				}
			}
		}
		coverage[i] = uint8((255*n + all/2) / all)
	}
}

// resolveDepth writes the depths of part of a row of pixels. The depth of a pixel is the depth of its nearest sample.
func (p *Pixels) resolveDepth(depth []float32, keys []uint64, stride int, touched bool) {
	grid := p.Grid
	for i := range depth {
		depth[i] = float32(math.Inf(1))
		if !touched {
			continue
		}
		if nearest := pixel.Nearest(keys, stride, grid, i); nearest != 0 {
			depth[i] = p.Depths.Distance(array.Nearness(nearest))
		}
	}
}
