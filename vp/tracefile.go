package vp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
)

// A trace file is lines of JSON: records (see [TraceStep.AppendJSON]) and, first
// of all, a header that says what was traced. A file without header is a trace
// too, so records that a program encoded by itself can be read.

// traceVersion is the version of the format.
const traceVersion = 1

// traceHeader is the first line of a trace file.
type traceHeader struct {
	Trace int    `json:"trace"`
	Title string `json:"title"`
}

// A TraceWriter writes a trace file.
type TraceWriter struct {
	w    io.Writer
	line []byte
}

// NewTraceWriter writes the header; title says what is traced, in one line for
// people, and loses what cannot be printed. Writes are small: buffer w, and flush it after the last record.
func NewTraceWriter(w io.Writer, title string) (*TraceWriter, error) {
	line, err := json.Marshal(traceHeader{traceVersion, printable(title)})
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("write trace: %w", err)
	}
	return &TraceWriter{w: w}, nil
}

// Write writes a record.
func (t *TraceWriter) Write(s *TraceStep) error {
	t.line = append(s.AppendJSON(t.line[:0]), '\n')
	if _, err := t.w.Write(t.line); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

const (
	// traceLineMost bounds a line, so that a file without line ends cannot take all
	// memory; a record has some 200 bytes.
	traceLineMost = 64 << 10

	// traceTextMost bounds names within a line, by which readers tell records apart.
	traceTextMost = 64

	// traceMost bounds the numbers of a record, so that sums over billions of them
	// do not overflow.
	traceMost = math.MaxInt32

	// traceAmountMost bounds savings and costs that are not infinite: whole numbers
	// beyond have no neighbours in a float64, and powers of them overflow in axes.
	traceAmountMost = 1e15
)

// printable replaces what a terminal would obey or XML cannot hold: names in a
// trace come from anywhere, and readers print them and draw them into figures.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// A TraceReader reads a trace file record by record.
type TraceReader struct {
	lines *bufio.Scanner
	line  int
	title string
}

// NewTraceReader returns a reader that holds one line of r at a time.
func NewTraceReader(r io.Reader) *TraceReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 8<<10), traceLineMost)
	return &TraceReader{lines: lines}
}

// Title returns what the header says, after the first record was read; "" for a
// file without one.
func (t *TraceReader) Title() string { return t.title }

// A TraceError says which line of a trace file makes no sense, and why.
type TraceError struct {
	Line int // from 1
	Err  error
}

func (e *TraceError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *TraceError) Unwrap() error { return e.Err }

// Read reads the next record, with all that its line left out filled in and '?'
// for what cannot be printed in a name. It returns io.EOF after the last one, a *TraceError for what is no record, and
// the reader's own errors wrapped.
func (t *TraceReader) Read(s *TraceStep) error {
	for t.lines.Scan() {
		t.line++
		if len(t.lines.Bytes()) == 0 {
			continue
		}
		header, err := t.parse(t.lines.Bytes(), s)
		if err != nil {
			return &TraceError{t.line, err}
		}
		if !header {
			return nil
		}
	}
	switch err := t.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &TraceError{t.line + 1, fmt.Errorf("longer than %d bytes", traceLineMost)}
	case err != nil:
		return fmt.Errorf("read trace: %w", err)
	}
	return io.EOF
}

// parse reads one line, which may be a header.
func (t *TraceReader) parse(line []byte, s *TraceStep) (header bool, err error) {
	raw := emptyTraceLine
	if !scanTraceLine(line, &raw) {
		raw = emptyTraceLine
		if err := json.Unmarshal(line, &raw); err != nil {
			return false, plainJSON(err)
		}
	}
	if raw.Trace != 0 {
		if raw.Trace != traceVersion {
			return true, fmt.Errorf("version %d of the format; want %d", raw.Trace, traceVersion)
		}
		if t.title == "" {
			t.title = printable(raw.Title)
		}
		return true, nil
	}
	if err := raw.check(); err != nil {
		return false, err
	}
	*s = raw.step()
	return false, nil
}

// UnmarshalJSON implements [json.Unmarshaler]: it reads one record, as
// [TraceReader.Read] does.
func (s *TraceStep) UnmarshalJSON(b []byte) error {
	header, err := new(TraceReader).parse(b, s)
	if err == nil && header {
		err = errors.New("a header, not a record")
	}
	return err
}

// plainJSON says in the words of a trace what package json says in those of Go.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s: %s makes no sense there", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s, not an object", kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON object at byte %d: %w", syntax.Offset, err)
	}
	return err
}

// absent stands for a number that a line does not have.
const absent = math.MinInt64

// emptyTraceLine has no numbers that a reader needs or fills in.
var emptyTraceLine = traceLine{Iteration: absent, Active: absent, Max: absent, Sum: absent,
	Iterations: absent, Unbalanced: absent, Tasks: absent}

// traceLine is a line of a trace file as it stands there.
type traceLine struct {
	Trace int    `json:"trace"`
	Title string `json:"title"`

	Frame         int64       `json:"frame"`
	Loop          string      `json:"loop"`
	Stage         string      `json:"stage"`
	Block         int64       `json:"block"`
	Group         int64       `json:"group"`
	Iteration     int64       `json:"iteration"`
	Iterations    int64       `json:"iterations"`
	Unbalanced    int64       `json:"unbalanced"`
	Processors    int64       `json:"processors"`
	Active        int64       `json:"active"`
	Max           int64       `json:"max"`
	Sum           int64       `json:"sum"`
	Tasks         int64       `json:"tasks"`
	Savings       traceNumber `json:"savings"`
	Cost          traceNumber `json:"cost"`
	Decision      string      `json:"decision"`
	Parts         int64       `json:"parts"`
	Redistributed bool        `json:"redistributed"`
}

// A traceNumber is infinite when it is null.
type traceNumber float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *traceNumber) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = traceNumber(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// check reports what is no number of iterations.
func (n traceNumber) check(key string) error {
	if v := float64(n); !math.IsInf(v, 1) && math.Abs(v) > traceAmountMost {
		return fmt.Errorf("%s is %g: want at most %g", key, v, float64(traceAmountMost))
	}
	return nil
}

// check reports what makes no sense in a record.
func (l *traceLine) check() error {
	for _, f := range []struct {
		key   string
		value int64
		most  int64
		need  bool
	}{
		{"iteration", l.Iteration, math.MaxInt64, true}, {"active", l.Active, traceMost, true},
		{"max", l.Max, traceMost, true}, {"sum", l.Sum, math.MaxInt64, true},
		{"frame", l.Frame, traceMost, false}, {"block", l.Block, traceMost, false},
		{"group", l.Group, traceMost, false}, {"iterations", l.Iterations, traceMost, false},
		{"unbalanced", l.Unbalanced, traceMost, false}, {"processors", l.Processors, traceMost, false},
		{"tasks", l.Tasks, traceMost, false}, {"parts", l.Parts, traceMost, false},
	} {
		switch {
		case f.value == absent && f.need:
			return fmt.Errorf("no key %q: not a record of a trace", f.key)
		case f.value == absent:
		case f.value < 0 || f.value > f.most:
			return fmt.Errorf("%s is %d: want 0 to %d", f.key, f.value, f.most)
		}
	}
	for _, text := range []string{l.Loop, l.Stage, l.Decision} {
		if len(text) > traceTextMost {
			return fmt.Errorf("a name of %d bytes: want at most %d", len(text), traceTextMost)
		}
	}
	if math.IsInf(float64(l.Savings), 1) {
		return errors.New("savings is null: want a number")
	}
	if err := l.Savings.check("savings"); err != nil {
		return err
	}
	return l.Cost.check("cost")
}

// step fills in what a line leaves out.
func (l *traceLine) step() TraceStep {
	s := TraceStep{
		Frame: int(l.Frame), Loop: printable(l.Loop), Stage: printable(l.Stage), Block: int(l.Block), Group: int(l.Group),
		Iteration: int(l.Iteration), Iterations: l.Iterations, Unbalanced: l.Unbalanced,
		Processors: int(l.Processors), Active: int(l.Active), Max: int32(l.Max), Sum: l.Sum, Tasks: l.Tasks,
		Savings: float64(l.Savings), Cost: float64(l.Cost),
		Decision: printable(l.Decision), Parts: int(l.Parts), Redistributed: l.Redistributed,
	}
	if s.Iterations == absent {
		s.Iterations = 1
	}
	if s.Tasks == absent {
		s.Tasks = l.Active
	}
	if s.Unbalanced == absent {
		s.Unbalanced = s.Iterations
		if s.Redistributed { // of a record that does not say it
			s.Unbalanced += int64(min(max(s.Savings, 0), traceMost))
		}
	}
	switch {
	case s.Redistributed && (s.Decision == "" || s.Decision == TraceNone):
		s.Decision = TraceRedistributed
	case s.Decision == "":
		s.Decision = TraceNone
	}
	return s
}
