package main

import (
	"bufio"
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/blockplace"
	"lockstep/lb/loads"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/scenes"
)

// A recorder writes how long the blocks of an animation took. A nil one does
// nothing.
type recorder struct {
	out    outFile
	buffer *bufio.Writer
	loads  *loads.Writer
	centre []mgl64.Vec3 // of every block
}

// begin describes the mesh. The renderer cuts it into blocks of the size that
// sources have.
func (r *recorder) begin(ctx context.Context, in *input) (err error) {
	if r == nil {
		return nil
	}
	header := loads.Header{Mesh: in.Label, BlockSize: scenes.BlockSize}
	for left := in.Source.Len(); left > 0; left -= scenes.BlockSize {
		header.Triangles = append(header.Triangles, min(left, scenes.BlockSize))
	}
	r.loads, err = loads.NewWriter(r.buffer, header)
	if err != nil {
		return atomicfile.Failure(err)
	}
	r.centre, err = blockplace.Centres(ctx, in.Source)
	return err
}

// frame writes the seconds of the blocks of the next frame and where the camera sees
// their centres.
func (r *recorder) frame(seconds []float64, cam *render.Camera) error {
	if r == nil {
		return nil
	}
	x, y := make([]float64, len(r.centre)), make([]float64, len(r.centre))
	for i, c := range r.centre {
		x[i], y[i] = blockplace.In(c, cam)
	}
	return atomicfile.Failure(r.loads.WriteFrameAt(seconds, x, y))
}

// commit gives the file its name.
func (r *recorder) commit() error {
	if r == nil {
		return nil
	}
	if err := r.buffer.Flush(); err != nil {
		return atomicfile.Failure(err)
	}
	return r.out.Commit()
}

// abort removes the file unless it was committed.
func (r *recorder) abort() {
	if r != nil {
		r.out.Abort()
	}
}
