package text

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the greatest length of a line in bytes. A line and its continuation lines together count as one. The limit
// bounds the memory for files without line ends.
const MaxLine = 16 << 20

// ErrLongLine is returned if a line is longer than MaxLine.
var ErrLongLine = errors.New("a line is longer than 16 MiB")

// Lines splits a text into lines. A line ends with LF or CR LF, or with CR if the first buffer of text has no LF.
type Lines struct {
	// Join means that a backslash at the end of a line joins the line with the next one, except in a comment that
	// starts with '#'.
	Join bool

	fill   func(p []byte) (int, error)
	buf    []byte
	pos    int // index in buf of the next byte
	end    int // index in buf after the last byte
	atEOF  bool
	eol    byte
	line   int // number of the line that Next returned last, counted from 1
	joined int // number of lines joined to that line
}

// NewLines returns the lines of a text that starts with prefix. If whole is set, prefix is the whole text; otherwise
// the function fill reads the rest until it returns io.EOF.
func NewLines(prefix []byte, whole bool, fill func(p []byte) (int, error)) *Lines {
	size := BufferSize
	if whole {
		size = len(prefix) + 1 // one more byte, for lastLine
	}
	l := &Lines{fill: fill, buf: make([]byte, size), atEOF: whole, eol: EndOfLine(prefix)}
	l.end = copy(l.buf, TrimBOM(prefix))
	return l
}

// Reset makes l read a text in memory. `line` is the number of the text's first line. Reading changes the text. It
// needs one free byte after the text.
func (l *Lines) Reset(text []byte, eol byte, line int) {
	*l = Lines{Join: l.Join, buf: text, end: len(text), atEOF: true, eol: eol, line: line - 1}
}

// Next returns the next line as fields, which are valid until the next call. ok is false at the end of the text. The
// error is ErrLongLine or an error of fill.
func (l *Lines) Next() (f Fields, ok bool, err error) {
	l.line += 1 + l.joined
	l.joined = 0
	from := l.pos
	for {
		at := bytes.IndexByte(l.buf[from:l.end], l.eol)
		if at < 0 && l.atEOF {
			return l.lastLine()
		}
		if at < 0 {
			from = l.end - l.pos
			if err := l.fillBuffer(); err != nil {
				return Fields{}, false, err
			}
			continue
		}
		at += from
		if l.Join && l.isContinued(at) {
			from = at + 1
			continue
		}
		f := l.takeLine(at)
		l.pos = at + 1
		return f, true, nil
	}
}

// lastLine returns the text after the last line end as a line.
func (l *Lines) lastLine() (f Fields, ok bool, err error) {
	if l.pos == l.end {
		return Fields{}, false, nil
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, 0) // append does not allocate if a free byte follows the text
	}
	f = l.takeLine(l.end)
	l.pos = l.end
	return f, true, nil
}

// takeLine returns the line that ends before buf[at]. It writes LF to buf[at].
func (l *Lines) takeLine(at int) Fields {
	l.buf[at] = '\n'
	return Fields{b: l.buf[l.pos : at+1]}
}

// isContinued reports whether the next line continues the line that ends at buf[at]. If so, it replaces the backslash
// and the line end by spaces.
func (l *Lines) isContinued(at int) bool {
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

// fillBuffer moves the current line to the start of the buffer and reads more text after it.
func (l *Lines) fillBuffer() error {
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

// Skip counts n lines that precede the text.
func (l *Lines) Skip(n int) { l.line += n }

// Rest returns the text in memory after the last line, followed by a zero byte. It returns nil in three cases: no
// text is left, there is no free byte for the zero, or lines do not end with LF.
func (l *Lines) Rest() []byte {
	if l.eol != '\n' || l.pos == l.end || l.end == cap(l.buf) {
		return nil
	}
	b := l.buf[l.pos : l.end+1]
	b[len(b)-1] = 0
	return b
}

// Take skips lines at the start of Rest. lines is their number, and bytes is their total length.
func (l *Lines) Take(lines, bytes int) {
	l.line += lines + l.joined
	l.joined = 0
	l.pos += bytes
}

// Buffered returns the text in memory after the last line, and the byte that ends lines. The caller must not change the
// text.
func (l *Lines) Buffered() (text []byte, eol byte) { return l.buf[l.pos:l.end], l.eol }

// Left returns the number of bytes of the text in memory after the last line.
func (l *Lines) Left() int { return l.end - l.pos }

// SetLine sets the number of the current line.
func (l *Lines) SetLine(line int) { l.line, l.joined = line, 0 }

// Line returns the number of the line that Next returned last, counted from 1. If lines were joined, it is the number
// of the first of them.
func (l *Lines) Line() int { return l.line }

// Fields reads the words of a line one after the other.
type Fields struct {
	b []byte // the line; it ends with LF and has no other LF
	p int
}

// IsNone reports whether f is the zero value. The Fields of a line, even of an empty one, are never the zero value.
func (f *Fields) IsNone() bool { return f.b == nil }

// skip skips white space and returns the index after it.
func (f *Fields) skip() int {
	p := f.p
	for f.b[p] <= ' ' && f.b[p] != '\n' {
		p++
	}
	f.p = p
	return p
}

// CutComment removes the first '#' and everything after it.
func (f *Fields) CutComment() {
	if at := bytes.IndexByte(f.b, '#'); at >= 0 {
		f.b[at] = '\n'
		f.b = f.b[:at+1]
	}
}

// More reports whether another word follows.
func (f *Fields) More() bool { return f.b[f.skip()] != '\n' }

// Taken returns how many bytes of the line have been read.
func (f *Fields) Taken() int { return f.p }

// Back moves back by n bytes, which must belong to the last word.
func (f *Fields) Back(n int) { f.p -= n }

// Word returns the next word. It is empty at the end of the line.
func (f *Fields) Word() []byte {
	p := f.skip()
	start := p
	for f.b[p] > ' ' {
		p++
	}
	f.p = p
	return f.b[start:p]
}

// Rest returns the rest of the line without the white space around it.
func (f *Fields) Rest() []byte {
	p := f.skip()
	f.p = len(f.b) - 1
	return bytes.TrimSpace(f.b[p:f.p])
}

// Float parses the next word as Decimal does. If the word is not a number, or the line has ended, ok is false and the
// word stays unread.
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

// Int is like Float, but for whole numbers. They may have the form 3.0 or 1e3.
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

// Digits parses a sign and up to 18 digits at the start of the next word. It stops after them, even in the middle of a
// word.
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

// Accept skips the next byte if it is c, and reports whether it is.
func (f *Fields) Accept(c byte) bool {
	if f.b[f.p] != c {
		return false
	}
	f.p++
	return true
}

// AtSpace reports whether the next byte is white space or the end of the line.
func (f *Fields) AtSpace() bool { return f.b[f.p] <= ' ' }
