package render

import (
	"context"
	"fmt"

	"lockstep/render/internal/kernel"
	"lockstep/scenes"
)

// Workloads are the tasks of a frame's two loops, as a load balancer sees them.
type Workloads struct {
	// Rows is the scan-line workload of every polygon: its rows of the picture.
	// Triangles that are culled or outside the picture are polygons with 0.
	Rows []int32
	// Pixels is the workload of every span: the samples that it covers.
	Pixels []int32
}

// CountWorkloads brings a mesh to the screen by the plain loops and returns the
// workloads of both, in the order of the mesh, instead of a picture. Cost: about
// that of a frame on one core without vector instructions, and 4 bytes an entry.
func CountWorkloads(ctx context.Context, source scenes.Source, cam Camera, o Options) (Workloads, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Workloads{}, err
	}
	c := workloadCounter{
		view:  makeView(&cam, &o),
		polys: kernel.MakePolygons(scenes.BlockSize + kernel.ClipMost),
		spans: kernel.MakeSpans(spanCapacity),
		slow:  make([]int32, scenes.BlockSize),
		scan:  kernel.Scan{Cost: kernel.Never},
	}
	var block scenes.Block
	for i := range scenes.NumBlocks(source) {
		if err := ctx.Err(); err != nil {
			return Workloads{}, err
		}
		if err := source.ReadBlock(i, &block); err != nil {
			return Workloads{}, fmt.Errorf("count workloads: %w", err)
		}
		c.count(&block)
	}
	return c.Workloads, nil
}

type workloadCounter struct {
	Workloads
	view  kernel.View
	polys *kernel.Polygons
	spans *kernel.Spans
	slow  []int32
	scan  kernel.Scan
}

// count adds one block.
func (c *workloadCounter) count(b *scenes.Block) {
	var counts kernel.Counts
	first := len(c.Rows)
	c.Rows = append(c.Rows, make([]int32, b.Len())...)
	c.polys.Reset()
	slow := kernel.Geometry(&c.view, b, c.polys, c.slow, &counts)
	for {
		slow = kernel.Slow(&c.view, b, slow, c.polys, &counts)
		for n := range c.polys.N {
			// A clipped triangle may give several polygons.
			if at := &c.Rows[first+int(c.polys.Source[n])]; *at == 0 {
				*at = c.polys.Rows[n]
			} else {
				c.Rows = append(c.Rows, c.polys.Rows[n])
			}
		}
		c.countSpans()
		if len(slow) == 0 {
			return
		}
		c.polys.Reset()
	}
}

// countSpans adds the spans of the polygon array.
func (c *workloadCounter) countSpans() {
	c.scan.Start()
	for finished := false; !finished; {
		c.spans.N = 0
		finished = c.scan.Run(c.polys, c.spans, c.view.Width, c.view.Width)
		c.Pixels = append(c.Pixels, c.spans.Count[:c.spans.N]...)
	}
}
