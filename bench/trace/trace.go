// Package trace reads the trace of a lockstep loop and shows where the loop redistributed tasks, and why: the predicted
// savings against the cost.
//
// File trace.go reads the trace and passes one record after the other to summary.go, which adds them up. print.go
// prints the sums as tables or JSON. columns.go and closeup.go collect what plot.go and closeup_plot.go draw.
package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"lockstep/bench/report"
	"lockstep/vp/trace"
)

// Experiment reads a trace that `render --trace FILE` or a [trace.Writer] has written. It keeps sums only, so a file
// may have any size.
type Experiment struct {
	File  report.Path `arg:"" name:"file" help:"Trace that render --trace FILE wrote; - is standard input."`
	JSON  bool        `name:"json" help:"Print one JSON object a line."`
	Plot  report.Path `placeholder:"DIR" help:"Draw every loop into DIR, as SVG and PNG."`
	Frame *int        `placeholder:"N" help:"Only this frame of an animation."`
	Block *int        `placeholder:"N" help:"Only this block of the mesh."`
}

// Run implements [report.Experiment].
func (t *Experiment) Run(ctx context.Context, out report.Output) error {
	sums, err := t.readTrace(ctx, out)
	if err != nil {
		return err
	}
	if t.Plot != "" {
		if err := drawFigures(out.Folder(string(t.Plot)), sums); err != nil {
			return err
		}
	}
	if t.JSON {
		return writeJSON(out.Stdout, sums)
	}
	return writeText(out.Stdout, sums)
}

// readTrace reads the file and returns its sums.
func (t *Experiment) readTrace(ctx context.Context, out report.Output) (*summary, error) {
	file, size := out.Stdin, int64(0)
	if t.File != "-" {
		f, err := os.Open(string(t.File))
		if err != nil {
			return nil, report.NewInputError(t.File.Label(), err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		file = f
	}
	out.Begin("reading", size)
	defer out.End()
	sums := new(summary)
	records := trace.NewReader(progressReader{file, out})
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var s trace.Step
		err := records.Read(&s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && t.isSelected(&s) {
			err = sums.add(&s)
		}
		if err != nil {
			return nil, report.NewInputError(t.File.Label(), err)
		}
		sums.read++
	}
	sums.title = records.Title()
	switch {
	case sums.read == 0:
		return nil, report.NewInputError(t.File.Label(), errors.New("no records of a trace in it"))
	case len(sums.loops) == 0:
		return nil, report.Usagef("--frame, --block: %s has no records of them", t.File.Label())
	}
	return sums, nil
}

// isSelected reports whether the flags --frame and --block select a record.
func (t *Experiment) isSelected(s *trace.Step) bool {
	return (t.Frame == nil || *t.Frame == s.Frame) && (t.Block == nil || *t.Block == s.Block)
}

// A progressReader tells the progress display how many bytes were read.
type progressReader struct {
	r   io.Reader
	out report.Output
}

func (w progressReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.out.Step(int64(n))
	return n, err
}

// maxNames limits the number of loops, and of stages of a loop. A damaged file could otherwise use up all memory.
const maxNames = 64

// errTooManyNames returns the error for a file with more than maxNames names. what is the plural of what the names
// stand for, such as "loops".
func errTooManyNames(what string) error {
	return fmt.Errorf("more than %d %s: not a trace", maxNames, what)
}
