package text

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the largest length of a line in bytes, those that a continuation
// joins counted as one. It bounds the memory of a file without line ends.
const MaxLine = 16 << 20

// ErrLongLine says that a line is longer than MaxLine.
var ErrLongLine = errors.New("a line is longer than 16 MiB")

// Lines splits a text into lines, which end with LF or CR LF, or with CR if the
// first buffer has no LF.
type Lines struct {
	// Join makes a backslash at the end of a line join it with the next, but
	// for a comment that starts with '#'.
	Join bool

	fill   func(p []byte) (int, error)
	buf    []byte
	pos    int // index into buf of the next byte
	end    int // index into buf behind the last byte
	atEOF  bool
	eol    byte
	line   int // number of the last line that Next returned, from 1
	joined int // line ends within it
}

// NewLines returns the lines of a text that starts with prefix. It goes on with
// what fill reads into p until it is full or the text ends with io.EOF, unless
// prefix is the whole text.
func NewLines(prefix []byte, whole bool, fill func(p []byte) (int, error)) *Lines {
	size := BufferSize
	if whole {
		size = len(prefix) + 1 // for last
	}
	l := &Lines{fill: fill, buf: make([]byte, size), atEOF: whole, eol: EndOfLine(prefix)}
	l.end = copy(l.buf, TrimBOM(prefix))
	return l
}

// Over makes l the lines of a text in memory, which it changes, and which has room for
// one more byte. The first has the number line.
func (l *Lines) Over(text []byte, eol byte, line int) {
	*l = Lines{Join: l.Join, buf: text, end: len(text), atEOF: true, eol: eol, line: line - 1}
}

// Next returns the next line as fields, which are valid until the following
// call. ok is false at the end of the text. The error is one of fill, or
// ErrLongLine.
func (l *Lines) Next() (f Fields, ok bool, err error) {
	l.line += 1 + l.joined
	l.joined = 0
	from := l.pos
	for {
		at := bytes.IndexByte(l.buf[from:l.end], l.eol)
		if at < 0 && l.atEOF {
			return l.last()
		}
		if at < 0 {
			from = l.end - l.pos
			if err := l.more(); err != nil {
				return Fields{}, false, err
			}
			continue
		}
		at += from
		if l.Join && l.continues(at) {
			from = at + 1
			continue
		}
		f := l.cut(at)
		l.pos = at + 1
		return f, true, nil
	}
}

// last returns what follows the last line end.
func (l *Lines) last() (f Fields, ok bool, err error) {
	if l.pos == l.end {
		return Fields{}, false, nil
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, 0) // in place where the caller left room
	}
	f = l.cut(l.end)
	l.pos = l.end
	return f, true, nil
}

// cut returns the line that ends before buf[at], which it overwrites.
func (l *Lines) cut(at int) Fields {
	l.buf[at] = '\n'
	return Fields{b: l.buf[l.pos : at+1]}
}

// continues blanks the backslash before the line end at buf[at], if there is
// one, and the line end.
func (l *Lines) continues(at int) bool {
	p := at - 1
	for p >= l.pos && l.buf[p] == '\r' {
		p--
	}
	if p < l.pos || l.buf[p] != '\\' || l.buf[SkipSpace(l.buf, l.pos)] == '#' {
		return false
	}
	for ; p <= at; p++ {
		l.buf[p] = ' '
	}
	l.joined++
	return true
}

// more reads on behind the line that has begun, which moves to the start of the
// buffer.
func (l *Lines) more() error {
	l.end = copy(l.buf, l.buf[l.pos:l.end])
	l.pos = 0
	if l.end == len(l.buf) {
		if l.end > MaxLine {
			return ErrLongLine
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.fill(l.buf[l.end:])
	l.end += n
	if err == io.EOF {
		l.atEOF = true
		return nil
	}
	return err
}

// Skip counts n lines that stand before the text.
func (l *Lines) Skip(n int) { l.line += n }

// Rest returns what follows the last line of a text in memory and one byte more, a control
// character; nil if nothing does, or if lines do not end with LF.
func (l *Lines) Rest() []byte {
	if l.eol != '\n' || l.pos == l.end || l.end == cap(l.buf) {
		return nil
	}
	b := l.buf[l.pos : l.end+1]
	b[len(b)-1] = 0
	return b
}

// Take steps over the first lines of Rest, whose number and length in bytes it is given.
func (l *Lines) Take(lines, bytes int) {
	l.line += lines + l.joined
	l.joined = 0
	l.pos += bytes
}

// Ahead returns the text in memory that follows the last line, which is not to be changed, and the byte
// that ends its lines.
func (l *Lines) Ahead() (text []byte, eol byte) { return l.buf[l.pos:l.end], l.eol }

// Left returns how many bytes of the text in memory follow the last line.
func (l *Lines) Left() int { return l.end - l.pos }

// At says that line was returned last.
func (l *Lines) At(line int) { l.line, l.joined = line, 0 }

// Line returns the number of the line that Next returned last, from 1: where a
// joined line begins.
func (l *Lines) Line() int { return l.line }

// Fields are the words of a line, taken one by one.
type Fields struct {
	b []byte // the line, ended by LF, which is nowhere else in it
	p int
}

// None reports whether f is the zero value, which no line is.
func (f *Fields) None() bool { return f.b == nil }

// skip steps over white space.
func (f *Fields) skip() int {
	p := f.p
	for f.b[p] <= ' ' && f.b[p] != '\n' {
		p++
	}
	f.p = p
	return p
}

// CutComment ends the line before the first '#'.
func (f *Fields) CutComment() {
	if at := bytes.IndexByte(f.b, '#'); at >= 0 {
		f.b[at] = '\n'
		f.b = f.b[:at+1]
	}
}

// More reports whether there is a further word.
func (f *Fields) More() bool { return f.b[f.skip()] != '\n' }

// Taken returns how many bytes of the line were taken.
func (f *Fields) Taken() int { return f.p }

// Back steps back over n bytes of the last word.
func (f *Fields) Back(n int) { f.p -= n }

// Word returns the next word, empty at the end of the line.
func (f *Fields) Word() []byte {
	p := f.skip()
	start := p
	for f.b[p] > ' ' {
		p++
	}
	f.p = p
	return f.b[start:p]
}

// Rest returns the remaining line without the white space around it.
func (f *Fields) Rest() []byte {
	p := f.skip()
	f.p = len(f.b) - 1
	return bytes.TrimSpace(f.b[p:f.p])
}

// Float parses the next word, see Decimal; ok is false, and nothing is taken, if
// it is no number, and at the end of the line.
func (f *Fields) Float() (v float64, ok bool) {
	p := f.skip()
	if f.b[p] == '\n' {
		return 0, false
	}
	v, p, ok = Decimal(f.b, p)
	if ok {
		f.p = p
	}
	return v, ok
}

// Int parses the next word as Float does; it must be a whole number, which may be
// written as 3.0 or 1e3.
func (f *Fields) Int() (v int64, ok bool) {
	start := f.skip()
	v, ok = f.Digits()
	if ok && f.AtSpace() {
		return v, true
	}
	f.p = start
	x, ok := f.Float()
	if v = int64(x); !ok || x != float64(v) {
		f.p = start
		return 0, false
	}
	return v, true
}

// Digits parses a sign and up to 18 digits at the start of the next word and
// stops behind them, wherever that is.
func (f *Fields) Digits() (v int64, ok bool) {
	p := f.skip()
	start := p
	negative := f.b[p] == '-'
	if negative || f.b[p] == '+' {
		p++
	}
	first := p
	for f.b[p]-'0' < 10 {
		v = v*10 + int64(f.b[p]-'0')
		p++
	}
	if p == first || p-first > 18 {
		f.p = start
		return 0, false
	}
	if negative {
		v = -v
	}
	f.p = p
	return v, true
}

// Accept steps over c if it is the very next byte.
func (f *Fields) Accept(c byte) bool {
	if f.b[f.p] != c {
		return false
	}
	f.p++
	return true
}

// AtSpace reports whether the next byte is white space or the end of the line.
func (f *Fields) AtSpace() bool { return f.b[f.p] <= ' ' }
