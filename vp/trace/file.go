package trace

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

// A trace file has lines of JSON: first a header that says what was traced, then records (see [Step.AppendJSON]).
// Files of programs that write records without a Writer have no header.

// version is the version of the format.
const version = 1

// header is the first line of a trace file.
type header struct {
	Trace int    `json:"trace"`
	Title string `json:"title"`
}

// A Writer writes a trace file.
type Writer struct {
	w    io.Writer
	line []byte
}

// NewWriter writes the header. title describes the traced loop in one line; characters of it that cannot be printed are
// replaced. A Writer writes small pieces, so w should be buffered. The caller flushes w after the last record.
func NewWriter(w io.Writer, title string) (*Writer, error) {
	line, err := json.Marshal(header{version, printable(title)})
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("write trace: %w", err)
	}
	return &Writer{w: w}, nil
}

// Write writes a record.
func (t *Writer) Write(s *Step) error {
	t.line = append(s.AppendJSON(t.line[:0]), '\n')
	if _, err := t.w.Write(t.line); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

const (
	// maxLine is the longest line that is read, in bytes. It keeps a file without line ends from using up all memory.
	// A record has about 200 bytes.
	maxLine = 64 << 10

	// maxText is the longest name in a record, in bytes.
	maxText = 64

	// maxCount is the largest count in a record. Sums over billions of records then do not overflow.
	maxCount = math.MaxInt32

	// maxAmount is the largest finite savings or cost. Some larger whole numbers are no float64 values. Powers of much
	// larger numbers would overflow in the axes of plots.
	maxAmount = 1e15
)

// printable replaces control characters, which a terminal would obey, and characters that XML cannot hold. Names in a
// trace may come from anywhere, and readers print and draw them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// A Reader reads a trace file record by record.
type Reader struct {
	lines *bufio.Scanner
	line  int
	title string
}

// NewReader returns a reader that holds one line of r at a time.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 8<<10), maxLine)
	return &Reader{lines: lines}
}

// Title returns the header's title once the first record was read. It is "" if the file has no header.
func (t *Reader) Title() string { return t.title }

// An Error names the malformed line of a trace file and the cause.
type Error struct {
	Line int // number of the line, from 1
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Read reads the next record. It fills in keys that the line left out, and in names puts '?' in place of characters
// that cannot be printed. It returns io.EOF after the last record, and an *[Error] for a line that is not a record.
// Other errors wrap the error of the underlying reader.
func (t *Reader) Read(s *Step) error {
	for t.lines.Scan() {
		t.line++
		if len(t.lines.Bytes()) == 0 {
			continue
		}
		header, err := t.parse(t.lines.Bytes(), s)
		if err != nil {
			return &Error{t.line, err}
		}
		if !header {
			return nil
		}
	}
	switch err := t.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{t.line + 1, fmt.Errorf("longer than %d bytes", maxLine)}
	case err != nil:
		return fmt.Errorf("read trace: %w", err)
	}
	return io.EOF
}

// parse reads one line. header reports whether the line is the header.
func (t *Reader) parse(line []byte, s *Step) (header bool, err error) {
	raw := emptyLine
	if !scanLine(line, &raw) {
		raw = emptyLine
		if err := json.Unmarshal(line, &raw); err != nil {
			return false, plainJSON(err)
		}
	}
	if raw.Trace != 0 {
		if raw.Trace != version {
			return true, fmt.Errorf("version %d of the format; expected %d", raw.Trace, version)
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

// UnmarshalJSON implements [json.Unmarshaler]. It reads one record as [Reader.Read] does.
func (s *Step) UnmarshalJSON(b []byte) error {
	header, err := new(Reader).parse(b, s)
	if err == nil && header {
		err = errors.New("a header, not a record")
	}
	return err
}

// plainJSON rewrites an error of package json without the names of Go types.
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

// absent marks a number that is missing from a line.
const absent = math.MinInt64

// emptyLine is the value into which a line is parsed. Some numbers are set to absent: those that the line must have,
// and those that method step fills in.
var emptyLine = line{Iteration: absent, Active: absent, Max: absent, Sum: absent,
	Iterations: absent, Unbalanced: absent, Tasks: absent}

// line is a line of a trace file as it is written, before values are filled in.
type line struct {
	Trace int    `json:"trace"`
	Title string `json:"title"`

	Frame         int64  `json:"frame"`
	Loop          string `json:"loop"`
	Stage         string `json:"stage"`
	Block         int64  `json:"block"`
	Group         int64  `json:"group"`
	Iteration     int64  `json:"iteration"`
	Iterations    int64  `json:"iterations"`
	Unbalanced    int64  `json:"unbalanced"`
	Processors    int64  `json:"processors"`
	Active        int64  `json:"active"`
	Max           int64  `json:"max"`
	Sum           int64  `json:"sum"`
	Tasks         int64  `json:"tasks"`
	Savings       number `json:"savings"`
	Cost          number `json:"cost"`
	Decision      string `json:"decision"`
	Parts         int64  `json:"parts"`
	Redistributed bool   `json:"redistributed"`
}

// A number is a float64 whose JSON form null means infinity.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// check returns an error if the number is finite but too large.
func (n number) check(key string) error {
	if v := float64(n); !math.IsInf(v, 1) && math.Abs(v) > maxAmount {
		return fmt.Errorf("%s is %g: expected at most %g", key, v, float64(maxAmount))
	}
	return nil
}

// check returns an error for the first invalid value of a record.
func (l *line) check() error {
	for _, f := range []struct {
		key   string
		value int64
		most  int64
		need  bool
	}{
		{"iteration", l.Iteration, math.MaxInt64, true}, {"active", l.Active, maxCount, true},
		{"max", l.Max, maxCount, true}, {"sum", l.Sum, math.MaxInt64, true},
		{"frame", l.Frame, maxCount, false}, {"block", l.Block, maxCount, false},
		{"group", l.Group, maxCount, false}, {"iterations", l.Iterations, maxCount, false},
		{"unbalanced", l.Unbalanced, maxCount, false}, {"processors", l.Processors, maxCount, false},
		{"tasks", l.Tasks, maxCount, false}, {"parts", l.Parts, maxCount, false},
	} {
		switch {
		case f.value == absent && f.need:
			return fmt.Errorf("no key %q: not a record of a trace", f.key)
		case f.value == absent:
		case f.value < 0 || f.value > f.most:
			return fmt.Errorf("%s is %d: expected 0 to %d", f.key, f.value, f.most)
		}
	}
	for _, text := range []string{l.Loop, l.Stage, l.Decision} {
		if len(text) > maxText {
			return fmt.Errorf("a name of %d bytes: expected at most %d", len(text), maxText)
		}
	}
	if math.IsInf(float64(l.Savings), 1) {
		return errors.New("savings is null: expected a number")
	}
	if err := l.Savings.check("savings"); err != nil {
		return err
	}
	return l.Cost.check("cost")
}

// step returns the record, with the keys filled in that the line left out.
func (l *line) step() Step {
	s := Step{
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
		// without the redistribution the loop would have been longer, by the number of iterations saved
		if s.Redistributed {
			s.Unbalanced += int64(min(max(s.Savings, 0), maxCount))
		}
	}
	switch {
	case s.Redistributed && (s.Decision == "" || s.Decision == None):
		s.Decision = Redistributed
	case s.Decision == "":
		s.Decision = None
	}
	return s
}
