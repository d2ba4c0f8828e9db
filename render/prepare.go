package render

import (
	"context"
	"errors"
	"io"

	"lockstep/lb"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/scenes/prepared"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// PreparingBytes is the memory that Surface.WritePrepared needs to order the triangles, in bytes per triangle. It
// includes an ordered copy of the triangle and its sort keys.
const PreparingBytes = leaves.Bytes + 16

// WritePrepared writes the mesh as a prepared file, with its normals if it has any. Frames read only those parts of
// such a file that may be visible (see package prepared). bad is the number of triangles with a coordinate that is not
// finite. workers may be 0 for all cores; the file does not depend on it.
//
// Besides the surface, WritePrepared needs PreparingBytes of memory a triangle, and 12 more if there are normals.
func (s *Surface) WritePrepared(ctx context.Context, w io.Writer, bad, workers int) error {
	if ctx == nil || w == nil || s == nil || s.Mesh == nil {
		return errors.New("write a prepared mesh: expected a context, a writer and a mesh, not nil")
	}
	m, loop := newWorkers(workers)
	defer m.Close()
	c := prepared.Contents{Mesh: s.Mesh, Leaves: leaves.New(&s.Block, loop.Run), Run: loop.Run, Bad: bad}
	if s.records != nil {
		c.Crease, c.Normals = s.crease, make([]uint32, 0, 3*s.Len())
		for i := range s.records {
			c.Normals = append(c.Normals, s.records[i][9:]...)
		}
	}
	return prepared.Write(ctx, w, &c)
}

// WritePreparedFlat writes the mesh of src as a prepared file without normals. The mesh need not fit into memory, see
// prepared.WriteSource. It uses o.Workers workers; 0 means all cores.
func WritePreparedFlat(ctx context.Context, w io.Writer, src scenes.Source, o prepared.SourceOptions) error {
	m, loop := newWorkers(o.Workers)
	defer m.Close()
	o.Run = loop.Run
	return prepared.WriteSource(ctx, w, src, o)
}

// newWorkers returns new workers, which the caller closes, and a loop that runs tasks on them.
func newWorkers(workers int) (*machine.Machine, *vp.For) {
	m := machine.New(machine.Options{Workers: workers, NoPin: true})
	return m, &vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
}
