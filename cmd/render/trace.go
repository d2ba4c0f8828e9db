package main

import (
	"bufio"
	"fmt"

	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render/atomicfile"
	"lockstep/vp/trace"
)

// traceBytes is the size of a write of trace data.
const traceBytes = 64 << 10

// A traceFile writes the trace of all frames. The methods of a nil traceFile do nothing.
type traceFile struct {
	out    outFile
	buffer *bufio.Writer
	trace  *trace.Writer
}

// createTraceFile creates the file of the trace. It returns nil if the flag is not given.
func (a *app) createTraceFile(f *pictureflags.Draw) (*traceFile, error) {
	if f.Trace == "" {
		return nil, nil
	}
	out, err := a.create(string(f.Trace))
	if err != nil {
		return nil, err
	}
	return &traceFile{out: out, buffer: bufio.NewWriterSize(out, traceBytes)}, nil
}

// begin writes the title of the trace. All following frames of w are traced.
func (t *traceFile) begin(w *pipeline, f *pictureflags.Draw) (err error) {
	if t == nil {
		return nil
	}
	t.trace, err = trace.NewWriter(t.buffer, w.traceTitle(f))
	if err != nil {
		return atomicfile.Failure(err)
	}
	o := w.Renderer.Options()
	o.Trace = func(s trace.Step) error { return t.trace.Write(&s) }
	return w.Renderer.SetOptions(o)
}

// traceTitle returns a title that names the mesh, the view and the options. The same command always gives the same
// title.
func (w *pipeline) traceTitle(f *pictureflags.Draw) string {
	mesh := w.Input.Label
	if mesh == "" {
		mesh = meshName("-")
	}
	direction, _ := w.Picture.OwnView(w.Input).MarshalText()
	view := string(direction)
	if f.Zoom != 1 {
		view += fmt.Sprintf(" times %g", f.Zoom)
	}
	return phrase.Printable(fmt.Sprintf("%s, %dx%d, view %s, balance %s, %s",
		mesh, w.Width, w.Height, view, w.policy, w.Renderer.ISA()))
}

// flush writes the contents of the buffer. It is called before any output is committed.
func (t *traceFile) flush() error {
	if t == nil {
		return nil
	}
	return atomicfile.Failure(t.buffer.Flush())
}

// commit renames the file to its final name.
func (t *traceFile) commit() error {
	if t == nil {
		return nil
	}
	if err := t.flush(); err != nil {
		return err
	}
	return t.out.Commit()
}

// abort removes the file unless it was committed.
func (t *traceFile) abort() {
	if t != nil {
		t.out.Abort()
	}
}
