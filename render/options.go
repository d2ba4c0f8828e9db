package render

import (
	"errors"
	"fmt"

	"lockstep/render/calibration"
)

// MaxPixels is the largest width or height of a picture times the square root
// of its samples: the guard band, 2^14 pixels on each side of the picture's
// centre, must hold the whole picture.
const MaxPixels = 1 << 15

// Cull says which faces are left out.
type Cull uint8

// Faces that are left out. A face is a front face when its corners run
// counter-clockwise seen from the eye.
const (
	CullNone Cull = iota
	CullBack
	CullFront
)

// Balance names the policy that decides when a loop redistributes its tasks.
// Pictures do not depend on it.
type Balance uint8

// The balancing policies.
const (
	BalanceCost   Balance = iota // where the savings exceed the cost
	BalanceNever                 // the loops of the paper's Figure 1
	BalanceAlways                // where it saves an iteration, whatever it costs
)

// An RGB is an sRGB colour 0x00RRGGBB.
type RGB uint32

// Options say what is drawn and with what. The zero value draws 1920x1080
// pixels, one sample each, both faces, light grey or the mesh's own colours on a
// transparent background, on all cores.
type Options struct {
	Width, Height int // pixels; 0 means 1920 and 1080
	Samples       int // per pixel: 1, 4 or 16 on a regular grid; 0 means 1
	Cull          Cull
	Color         *RGB // the base colour of every triangle; nil: the mesh's colours, else DefaultColor
	Background    *RGB // nil: transparent
	Depth         bool // also return the depth of every pixel
	TimeBlocks    bool // also measure every block of the source, see BlockSeconds

	Trace TraceFunc // told every step of the frames' loops, see SetTrace; nil: nobody

	Workers   int     // 0: one a core that this process may use
	NoPin     bool    // do not pin workers to cores
	BlockSize int     // triangles a worker takes at a time, 1 to MaxBlock; 0 means DefaultBlock
	Balance   Balance // when loops redistribute
	// BalanceCost is what the policy of that name takes it to cost to deal the rows
	// of one polygon afresh, in iterations of the scan-conversion loop; 0: what Costs
	// says.
	BalanceCost float64
	// Costs are what calibration.Measure has measured for ISA on this processor; nil: constants
	// that hold on most. With the same costs counts are the same.
	Costs *calibration.Costs
	ISA   string // "generic", "avx2" or "avx512"; "" or "auto": the best there is
}

// DefaultColor is the base colour of meshes that bring none.
const DefaultColor RGB = 0xcccccc

// DefaultBlock is the number of triangles in a block: its coordinates, its
// polygons and its spans stay within a second-level cache of 1 MiB.
const DefaultBlock = 4096

// MaxBlock bounds the block size; larger blocks leave the cache.
const MaxBlock = 8192

// withDefaults returns o with zero fields replaced, or every fault found in it.
func (o Options) withDefaults() (Options, error) {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1920, 1080
	}
	if o.Samples == 0 {
		o.Samples = 1
	}
	if o.BlockSize == 0 {
		o.BlockSize = DefaultBlock
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	switch o.Samples {
	case 1, 4, 16:
	default:
		fault("samples %d: want 1, 4 or 16", o.Samples)
		o.Samples = 1
	}
	if most := MaxPixels / o.grid(); o.Width < 1 || o.Height < 1 || o.Width > most || o.Height > most {
		fault("size %dx%d: want 1x1 to %dx%d with %d samples a pixel", o.Width, o.Height, most, most, o.Samples)
	}
	if o.Cull > CullFront {
		fault("cull %d: unknown", o.Cull)
	}
	if o.Balance > BalanceAlways {
		fault("balance %d: unknown", o.Balance)
	}
	if !(o.BalanceCost >= 0 && o.BalanceCost <= maxCost) {
		fault("balance cost %g: want 0 to %g iterations", o.BalanceCost, float64(maxCost))
	}
	if o.Costs != nil {
		if err := o.Costs.Check(); err != nil {
			fault("costs: %w", err)
		}
	}
	if o.Workers < 0 || o.Workers > MaxWorkers {
		fault("workers %d: want 0 to %d", o.Workers, MaxWorkers)
	}
	if o.BlockSize < 1 || o.BlockSize > MaxBlock {
		fault("block size %d: want 1 to %d triangles", o.BlockSize, MaxBlock)
	}
	return o, errors.Join(faults...)
}

// MaxWorkers bounds the number of workers; each may come to own a whole frame.
const MaxWorkers = 1024

// grid returns how many samples lie along a pixel's side.
func (o *Options) grid() int {
	switch o.Samples {
	case 4:
		return 2
	case 16:
		return 4
	}
	return 1
}
