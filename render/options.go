package render

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/tint"
	"lockstep/scenes"
)

// MaxPixels limits a picture's width and height, multiplied by the square root of the samples per pixel. Coordinates
// are exact only within 2^14 samples of the picture's centre.
const MaxPixels = 1 << 15

// Cull selects the faces that are not drawn.
type Cull uint8

// The faces that are not drawn. A face is a front face if its corners run counter-clockwise when seen from the eye.
const (
	CullNone Cull = iota
	CullBack
	CullFront
)

// Options configure a Renderer. The zero value gives 1920x1080 pixels with one sample each, drawn on all cores. It
// draws both faces of flat triangles under a headlight, in the mesh's own colours or light grey, on a transparent
// background. [Options.Studio] returns the look of the command's pictures.
//
// Only the fields from Width to Normals change pictures.
type Options struct {
	Width, Height int     // size in pixels; 0 means 1920 and 1080
	Samples       int     // samples per pixel: 1, 4 or 16 on a regular grid; 0 means 1
	Cull          Cull    // faces that are not drawn
	OneSided      bool    // in the studio: back faces of one-sided materials are not drawn
	Light         Light   // lights of the scene
	Shading       Shading // flat or smooth normals
	// Crease is the crease angle in degrees for surfaces that Frame makes (see SurfaceOptions). 0 means
	// DefaultCrease.
	Crease    float64
	Field     Field // in the studio: attribute of the mesh whose numbers choose its colours
	Facing    bool  // in the studio: front faces are blue and back faces are red
	Occlusion bool  // in the studio: parts of the surface are darker where other parts hide the sky
	// EyeDome applies to clouds in the studio. Pixels are darker the farther they lie behind their neighbours.
	EyeDome bool
	// Color is the opaque base colour. Nil means the mesh's colours or, if it has none, DefaultColor or StudioColor.
	Color color.Color
	// Finish is, in the studio, the finish of surfaces without their own. Its textures are ignored. Nil means
	// plaster.
	Finish     *scenes.Finish
	Background color.Color // opaque colour; nil, or alpha 0: transparent
	Depth      bool        // also return the depth of every pixel
	Coverage   bool        // also return the covered share of every pixel
	Triangles  bool        // in the studio: also return which triangle every pixel shows
	Normals    bool        // in the studio: also return the normal of every pixel

	// Workers, Pin, BlockSize and ISA cannot be changed during the life of a renderer.

	Workers   int    // number of workers; 0 means one for each core that this process may use
	Pin       bool   // pin every worker to its own core, and also the caller of Frame while it draws
	BlockSize int    // number of triangles that a worker draws at a time, 1 to 8192; 0 means 4096
	ISA       string // "generic", "avx2" or "avx512"; "" or "auto" means the best that the processor has

	Balance Balance // decides when loops redistribute their tasks
	// BalanceCost is the assumed cost of redistributing one polygon under the policy BalanceCost. Its unit is an
	// iteration of the scan-conversion loop. 0 means the cost that Costs gives.
	BalanceCost float64
	// Costs are what calibration.Measure returned for ISA on this processor. Nil means constants that suit most
	// processors. Equal Costs give equal counts in Stats.
	Costs *calibration.Costs

	// Leaves is the policy for deferring triangles that are probably hidden: drawing them last, and only if they may
	// be visible. It is lb.Never, lb.Always, or lb.CostEffective (if deferring saves more time than it costs).
	// Pictures do not depend on Leaves, but counts do.
	//
	// For a surface of half a million triangles or more, frames from the second on defer groups of triangles and skip
	// groups outside the picture; see Surface.Order.
	//
	// For other meshes in memory, frames from the third on defer polygons that lie behind the surface that the
	// previous frame showed there. Such frames must have several samples a pixel, light their pixels one by one, or
	// have few triangles for their size.
	Leaves lb.Policy

	TimeBlocks bool      // also measure the time of every block of the source, see BlockSeconds
	Trace      TraceFunc // called with every step of the frames' two loops; nil: frames are not traced
}

// InMemory reports whether the source must be in memory or be a Stored, because pixels are lit one by one after the
// z-buffer.
func (o Options) InMemory() bool { return o.deferredShading() }

// defaultBlock is the number of triangles in a block. The coordinates, polygons and spans of a block fit into a
// second-level cache of 1 MiB.
const defaultBlock = 4096

// maxBlock is the largest block size; larger blocks do not fit into the cache.
const maxBlock = 8192

// Check returns the options with defaults in place of zeros, and an error that lists every fault.
func (o Options) Check() (Options, error) {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1920, 1080
	}
	if o.Samples == 0 {
		o.Samples = 1
	}
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlock
	}
	if o.ISA == "" {
		o.ISA = "auto"
	}
	var faults faults
	switch o.Samples {
	case 1, 4, 16:
	default:
		faults.add("samples %d: expected 1, 4 or 16", o.Samples)
		o.Samples = 1
	}
	o.checkPicture(&faults)
	o.checkWork(&faults)
	return o, errors.Join(faults...)
}

// faults collects the faults of options.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// checkPicture adds the faults of the options that a picture depends on, except those of Samples.
func (o *Options) checkPicture(faults *faults) {
	if limit := MaxPixels / o.grid(); o.Width < 1 || o.Height < 1 || o.Width > limit || o.Height > limit {
		faults.add("size %dx%d: expected 1x1 to %dx%d with %d samples a pixel", o.Width, o.Height, limit, limit, o.Samples)
	}
	if o.Cull > CullFront {
		faults.add("cull %d: unknown", o.Cull)
	}
	if o.Light > LightStudio {
		faults.add("light %d: unknown", o.Light)
	}
	if o.Field.Name != "" && !surface.IsMap(o.Field.mapName()) {
		faults.add("colour map %q: expected one of %v", o.Field.Map, ColorMaps())
	}
	if (o.Triangles || o.Normals) && o.Light != LightStudio {
		faults.add("triangles and normals: expected the studio's light")
	}
	if o.Shading > ShadingSmooth {
		faults.add("shading %d: unknown", o.Shading)
	}
	if !(o.Crease >= 0 && o.Crease <= 180) {
		faults.add("crease %g: expected 0 to 180 degrees", o.Crease)
	}
	if o.Finish != nil {
		checkFinish(o.Finish, faults)
	}
	if _, err := o.baseColor(); err != nil {
		faults.add("color %w", err)
	}
	if _, err := tint.Background(o.Background); err != nil {
		faults.add("background %w", err)
	}
}

// checkWork adds the faults of the options that set workers and balancing.
func (o *Options) checkWork(faults *faults) {
	if !o.Balance.Valid() {
		faults.add("balance %d: unknown", o.Balance)
	}
	if !o.Leaves.Valid() {
		faults.add("leaves %d: unknown", o.Leaves)
	}
	if !(o.BalanceCost >= 0 && o.BalanceCost <= calibration.MostIterations) {
		faults.add("balance cost %g: expected 0 to %g iterations", o.BalanceCost, float64(calibration.MostIterations))
	}
	if o.Costs != nil {
		if err := o.Costs.Check(); err != nil {
			faults.add("costs: %w", err)
		}
	}
	if o.Workers < 0 || o.Workers > MaxWorkers {
		faults.add("workers %d: expected 0 to %d", o.Workers, MaxWorkers)
	}
	if o.BlockSize < 1 || o.BlockSize > maxBlock {
		faults.add("block size %d: expected 1 to %d triangles", o.BlockSize, maxBlock)
	}
}

// MaxWorkers limits the number of workers, because the memory of each worker may grow to a whole frame.
const MaxWorkers = 1024

// An RGB is an opaque sRGB colour 0x00RRGGBB. It is a color.Color.
type RGB uint32

// Base colours of meshes without colours of their own, and a background. DefaultColor is the base colour under a
// headlight, and StudioColor in the studio. StudioBackground is the background of Options.Studio.
const (
	DefaultColor     RGB = 0xcccccc
	StudioColor      RGB = 0xbcc4cd
	StudioBackground RGB = 0xf3f4f6
	GlassColor       RGB = 0xf2f7f7 // base colour of surfaces that let light through, in the studio
)

// RGBA implements color.Color.
func (c RGB) RGBA() (r, g, b, a uint32) {
	const wide = 0x101 // multiplying by it repeats 8 bits to make 16
	return uint32(c) >> 16 & 255 * wide, uint32(c) >> 8 & 255 * wide, uint32(c) & 255 * wide, 0xffff
}

// baseColor returns the base colour of the triangles.
func (o *Options) baseColor() (RGB, error) {
	switch {
	case o.Color != nil:
		c, err := tint.Opaque(o.Color)
		return RGB(c), err
	case o.Light == LightStudio && o.Finish != nil && o.Finish.Transmission > 0:
		return GlassColor, nil
	case o.Light == LightStudio:
		return StudioColor, nil
	}
	return DefaultColor, nil
}

// Balance is the policy that decides when a loop redistributes its tasks.
// Pictures do not depend on it.
type Balance = lb.Policy

// The balancing policies of package lb. A redistribution saves iterations of a loop and costs time.
const (
	BalanceCost   = lb.CostEffective // redistribute if the savings exceed the cost
	BalanceNever  = lb.Never         // leave every task in its lane, as the loops in Figure 1 of Ahrens and Hansen (1995) do
	BalanceAlways = lb.Always        // redistribute if it saves an iteration, whatever it costs
)

// setEstimate sets the policy and the cost estimate of all workers.
func (e *engine) setEstimate() {
	o := &e.options
	estimate := o.Costs.Estimate(e.kernels.Level)
	switch {
	case o.Balance != BalanceCost:
		estimate = calibration.Estimate{Sharing: estimate.Sharing}
	case o.BalanceCost > 0:
		estimate = calibration.Estimate{Cost: o.BalanceCost, Sharing: estimate.Sharing}
	}
	estimate.Cost = math.Ceil(estimate.Cost)
	e.estimate = estimate
	for _, r := range e.rasters {
		r.Policy, r.Cost = o.Balance, estimate.Converter()
	}
}

// grid returns the number of samples along the side of a pixel: 1, 2 or 4.
func (o *Options) grid() int { return tile.Grid(o.Samples) }

// deferredShading reports whether pixels are lit one by one after the z-buffer.
func (o *Options) deferredShading() bool {
	return o.Light == LightStudio && (o.Shading == ShadingSmooth || o.Occlusion || o.Field.Name != "" || o.Facing || o.Finish != nil || o.OneSided || o.Triangles || o.Normals)
}
