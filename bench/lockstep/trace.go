package lockstep

import (
	"bufio"
	"fmt"
	"os"

	"lockstep/bench/report"
	"lockstep/render/atomicfile"
	"lockstep/scenes/procedural"
	"lockstep/vp/trace"
)

// traceBytes is the size of the buffer of a traceFile, in bytes.
const traceBytes = 64 << 10

// A traceFile writes a record for each iteration of both loops. Methods of a nil traceFile do nothing.
type traceFile struct {
	file   report.File
	buffer *bufio.Writer
	writer *trace.Writer
	stop   func() // stops the drawing if its trace cannot be written
	err    error  // first error; after it nothing is written
}

// newTrace opens the file for the trace. It returns nil without --trace.
func (l *Experiment) newTrace(out report.Output) (*traceFile, error) {
	if l.Trace == "" {
		return nil, nil
	}
	if replacesMesh(string(l.Trace), string(l.Mesh), out.Stdin) {
		return nil, report.Usagef("%s: would replace %s: give another name", l.Trace, l.Mesh.Label())
	}
	file, err := out.File(string(l.Trace))
	if err != nil {
		return nil, err
	}
	return &traceFile{file: file, buffer: bufio.NewWriterSize(file, traceBytes)}, nil
}

// replacesMesh reports whether two names refer to the same regular file. A mesh "-" is stdin.
func replacesMesh(name, mesh string, stdin *os.File) bool {
	if name == "-" || procedural.IsScene(mesh) {
		return false
	}
	to, err := os.Stat(name)
	if err != nil || !to.Mode().IsRegular() {
		return false
	}
	from, err := os.Stat(mesh)
	if mesh == "-" {
		from, err = stdin.Stat()
	}
	return err == nil && os.SameFile(from, to)
}

// beginPolicy writes the header for the loops under one policy. If a later record cannot be written, the trace calls
// stop.
func (t *traceFile) beginPolicy(l *Experiment, policy string, stop func()) {
	if t == nil {
		return
	}
	processors := "a processor a problem"
	if l.Processors > 0 {
		processors = fmt.Sprintf("%d processors", l.Processors)
	}
	t.stop = stop
	title := fmt.Sprintf("%s, %dx%d, %s, balance %s", l.Mesh.Label(), l.Width, l.Width, processors, policy)
	t.writer, t.err = trace.NewWriter(t.buffer, title)
}

// loopWriter returns a function that writes a record of the named loop. A loop with more problems than processors
// solves them in several batches. Each batch becomes one block of the trace.
func (t *traceFile) loopWriter(name string) func(trace.Step) {
	if t == nil {
		return nil
	}
	batch := -1
	return func(s trace.Step) {
		if s.Iteration == 0 {
			batch++
		}
		s.Loop, s.Block = name, batch
		if t.err != nil {
			return
		}
		if t.err = t.writer.Write(&s); t.err != nil {
			t.stop()
		}
	}
}

// firstError returns the first error of the trace.
func (t *traceFile) firstError() error {
	if t == nil {
		return nil
	}
	return atomicfile.Failure(t.err)
}

// commit gives the file its final name.
func (t *traceFile) commit() error {
	if t == nil {
		return nil
	}
	if t.err = t.buffer.Flush(); t.err != nil {
		return t.firstError()
	}
	return t.file.Commit()
}

// abort removes the file if it was not committed.
func (t *traceFile) abort() {
	if t != nil {
		t.file.Abort()
	}
}
