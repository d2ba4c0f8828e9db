package main

import (
	"bufio"
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/blockplace"
	"lockstep/lb"
	"lockstep/lb/loads"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/scenes"
)

// A recorder writes the drawing time of each block of the mesh in each frame of an animation. The methods of a nil
// recorder do nothing.
type recorder struct {
	out    outFile
	buffer *bufio.Writer
	loads  *loads.Writer
	centre []mgl64.Vec3 // centre of every block
}

// begin writes the header, which describes the mesh. The renderer divides the mesh into blocks of scenes.BlockSize
// triangles. If frames draw groups of a prepared file, the blocks follow the order of the groups.
func (r *recorder) begin(ctx context.Context, in *input, leaves lb.Policy) (err error) {
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
	if stored, ok := in.Source.(*render.Stored); ok && leaves != lb.Never {
		for _, c := range stored.BlockCentres() {
			r.centre = append(r.centre, c)
		}
	}
	if r.centre == nil {
		r.centre, err = blockplace.Centres(ctx, in.Source)
	}
	return err
}

// writeFrame writes the drawing times of the blocks in the next frame, in seconds, and the positions of the blocks'
// centres relative to the camera.
func (r *recorder) writeFrame(seconds []float64, cam *render.Camera) error {
	if r == nil {
		return nil
	}
	x, y := make([]float64, len(r.centre)), make([]float64, len(r.centre))
	for i, c := range r.centre {
		x[i], y[i] = blockplace.Project(c, cam)
	}
	return atomicfile.Failure(r.loads.WriteFrameAt(seconds, x, y))
}

// commit renames the file to its final name.
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
