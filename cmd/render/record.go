package main

import (
	"bufio"

	"lockstep/lb/loads"
	"lockstep/scenes"
)

// A recorder writes how long the blocks of an animation took. A nil one does
// nothing.
type recorder struct {
	out    outFile
	buffer *bufio.Writer
	loads  *loads.Writer
}

// recorder opens the file for the loads, if one is wanted.
func (c *animateCommand) recorder(a *app) (*recorder, error) {
	if c.RecordLoads == "" {
		return nil, nil
	}
	out, err := a.create(string(c.RecordLoads))
	if err != nil {
		return nil, err
	}
	return &recorder{out: out, buffer: bufio.NewWriter(out)}, nil
}

// begin describes the mesh. The renderer cuts it into blocks of the size that
// sources have.
func (r *recorder) begin(in *input) (err error) {
	if r == nil {
		return nil
	}
	header := loads.Header{Mesh: in.label, BlockSize: scenes.BlockSize}
	for left := in.src.Len(); left > 0; left -= scenes.BlockSize {
		header.Triangles = append(header.Triangles, min(left, scenes.BlockSize))
	}
	r.loads, err = loads.NewWriter(r.buffer, header)
	return outputFailure(err)
}

// frame writes the seconds of the blocks of the next frame.
func (r *recorder) frame(seconds []float64) error {
	if r == nil {
		return nil
	}
	return outputFailure(r.loads.WriteFrame(seconds))
}

// commit gives the file its name.
func (r *recorder) commit() error {
	if r == nil {
		return nil
	}
	if err := r.buffer.Flush(); err != nil {
		return outputFailure(err)
	}
	return r.out.Commit()
}

// abort removes the file unless it was committed.
func (r *recorder) abort() {
	if r != nil {
		r.out.Abort()
	}
}
