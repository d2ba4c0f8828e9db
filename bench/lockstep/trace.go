package lockstep

import (
	"bufio"
	"fmt"
	"os"

	"lockstep/bench/report"
	"lockstep/scenes/procedural"
	"lockstep/vp/trace"
)

// lockstepTraceBytes is how much of a trace is written at once.
const lockstepTraceBytes = 64 << 10

// A lockstepTrace writes the iterations of both loops as they come. A nil one
// does nothing.
type lockstepTrace struct {
	file   *keptFile
	buffer *bufio.Writer
	writer *trace.Writer
	stop   func() // ends the drawing whose trace cannot be written
	err    error  // the first, after which nothing is written any more
}

// A keptFile remembers its first error as it is, whatever its writers wrap it in.
type keptFile struct {
	report.File
	err error
}

func (f *keptFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

// newTrace opens the file for the trace, if one is wanted.
func (l *Experiment) newTrace(out report.Output) (*lockstepTrace, error) {
	if l.Trace == "" {
		return nil, nil
	}
	if replacesMesh(string(l.Trace), string(l.Mesh)) {
		return nil, report.Usagef("%s: would replace %s: give another name", l.Trace, l.Mesh.Label())
	}
	f, err := out.File(string(l.Trace))
	if err != nil {
		return nil, err
	}
	file := &keptFile{File: f}
	return &lockstepTrace{file: file, buffer: bufio.NewWriterSize(file, lockstepTraceBytes)}, nil
}

// replacesMesh reports whether two names lead to one regular file.
func replacesMesh(name, mesh string) bool {
	if name == "-" || procedural.IsScene(mesh) {
		return false
	}
	to, err := os.Stat(name)
	if err != nil || !to.Mode().IsRegular() {
		return false
	}
	from, err := os.Stat(mesh)
	if mesh == "-" {
		from, err = os.Stdin.Stat()
	}
	return err == nil && os.SameFile(from, to)
}

// begin says what is traced from now on; stop is called when it cannot be
// written.
func (t *lockstepTrace) begin(l *Experiment, policy string, stop func()) {
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

// loop returns what takes the iterations of a loop: those of each turn of
// problems are a block.
func (t *lockstepTrace) loop(name string) func(trace.Step) {
	if t == nil {
		return nil
	}
	turn := -1
	return func(s trace.Step) {
		if s.Iteration == 0 {
			turn++
		}
		s.Loop, s.Block = name, turn
		if t.err != nil {
			return
		}
		if t.err = t.writer.Write(&s); t.err != nil {
			t.stop()
		}
	}
}

// failed returns what went wrong with the trace so far.
func (t *lockstepTrace) failed() error {
	switch {
	case t == nil:
		return nil
	case t.file.err != nil:
		return t.file.err // which names the file
	}
	return t.err
}

// commit gives the file its name.
func (t *lockstepTrace) commit() error {
	if t == nil {
		return nil
	}
	if t.err = t.buffer.Flush(); t.err != nil {
		return t.failed()
	}
	return t.file.Commit()
}

// abort leaves no file unless it was committed.
func (t *lockstepTrace) abort() {
	if t != nil {
		t.file.Abort()
	}
}
