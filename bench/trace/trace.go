package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lockstep/bench/report"
	"lockstep/vp/trace"
)

// Trace reads the trace of lockstep loops, written by `render --trace FILE` or by
// a [trace.Writer], and tells where they redistributed tasks, and why: what it
// would save against what it costs. It holds sums, not the trace, so a file may
// have any size.
type Experiment struct {
	File  report.Path `arg:"" name:"file" help:"Trace that render --trace FILE wrote; - is standard input."`
	JSON  bool        `name:"json" help:"Print one JSON object a line."`
	Plot  report.Path `placeholder:"DIR" help:"Draw every loop into DIR, as SVG and PNG."`
	Frame *int        `placeholder:"N" help:"Only this frame of an animation."`
	Block *int        `placeholder:"N" help:"Only this block of the mesh."`
}

// Run implements [report.Experiment].
func (t *Experiment) Run(ctx context.Context, out report.Output) error {
	sums, err := t.read(ctx, out)
	if err != nil {
		return err
	}
	if t.Plot != "" {
		if err := plotTrace(string(t.Plot), sums); err != nil {
			return err
		}
	}
	if t.JSON {
		return writeTraceJSON(out.Stdout, sums)
	}
	return writeTrace(out.Stdout, sums)
}

// read sums up the file.
func (t *Experiment) read(ctx context.Context, out report.Output) (*traceSums, error) {
	file, size := os.Stdin, int64(0)
	if t.File != "-" {
		f, err := os.Open(string(t.File))
		if err != nil {
			return nil, t.damaged(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		file = f
	}
	out.Begin("reading", size)
	defer out.End()
	sums := newTraceSums()
	records := trace.NewReader(watchedReader{file, out})
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var s trace.Step
		err := records.Read(&s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && t.wanted(&s) {
			err = sums.add(&s)
		}
		if err != nil {
			return nil, t.damaged(err)
		}
		sums.read++
	}
	sums.title = records.Title()
	switch {
	case sums.read == 0:
		return nil, t.damaged(errors.New("no records of a trace in it"))
	case len(sums.loops) == 0:
		return nil, report.Usagef("--frame, --block: %s has no records of them", t.File.Label())
	}
	return sums, nil
}

// wanted reports whether a record belongs to what the flags select.
func (t *Experiment) wanted(s *trace.Step) bool {
	return (t.Frame == nil || *t.Frame == s.Frame) && (t.Block == nil || *t.Block == s.Block)
}

// damaged names the file, and the line where one is to blame.
func (t *Experiment) damaged(err error) error {
	name := t.File.Label()
	var at *trace.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &at):
		return &report.InputError{File: name, Line: at.Line, Err: at.Err}
	case errors.As(err, &path):
		return &report.InputError{File: name, Err: path.Err}
	}
	return &report.InputError{File: name, Err: err}
}

// A watchedReader reports the bytes that are read.
type watchedReader struct {
	r   io.Reader
	out report.Output
}

func (w watchedReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.out.Step(int64(n))
	return n, err
}

// names bounds what a trace may tell apart, so that a damaged one cannot take
// all memory.
const traceNames = 64

// errTraceNames says that a file tells too much apart.
func errTraceNames(what string) error {
	return fmt.Errorf("more than %d %s: not a trace", traceNames, what)
}
