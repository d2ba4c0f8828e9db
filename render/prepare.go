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

// WritePrepared writes a mesh and its normals, if it has any, to a file of which pictures read only what they may show, see
// package prepared. bad is how many triangles have a coordinate that is not finite. It works on so many workers, 0: all cores; the
// file is the same. Besides the surface it takes 56 bytes a triangle.
func (s *Surface) WritePrepared(ctx context.Context, w io.Writer, bad, workers int) error {
	if ctx == nil || w == nil || s == nil || s.Mesh == nil {
		return errors.New("write a prepared mesh: expected a context, a writer and a mesh, not nil")
	}
	m, loop := preparing(workers)
	defer m.Close()
	c := prepared.Contents{Mesh: s.Mesh, Leaves: leaves.New(&s.Block, loop.Run), Bad: bad}
	if s.records != nil {
		c.Crease, c.Normals = s.crease, make([]uint32, 0, 3*s.Len())
		for i := range s.records {
			c.Normals = append(c.Normals, s.records[i][9:]...)
		}
	}
	return prepared.Write(ctx, w, &c)
}

// WritePreparedFlat writes a mesh without normals, which need not fit into memory, see prepared.WriteSource. It works on so many
// workers, 0: all cores.
func WritePreparedFlat(ctx context.Context, w io.Writer, src scenes.Source, o prepared.SourceOptions) error {
	m, loop := preparing(o.Workers)
	defer m.Close()
	o.Run = loop.Run
	return prepared.WriteSource(ctx, w, src, o)
}

// preparing returns workers, and a loop of tasks for them.
func preparing(workers int) (*machine.Machine, *vp.For) {
	m := machine.New(machine.Options{Workers: workers, NoPin: true})
	return m, &vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
}
