package text

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// BufferSize is the number of bytes of the buffer of Words. The buffer fits into the second-level cache.
	BufferSize = 256 << 10
	// Lookahead is the least number of bytes in the buffer when a word is read, except at the end of the input. It is
	// four times the length of a usual triangle in text STL, so few triangles cross the end of the buffer. Words
	// longer than Lookahead are split.
	Lookahead = 1024
)

// Words splits a text into words separated by white space.
//
// A reader that knows its grammar may also call More, look at the next Lookahead bytes in Buf, and advance Pos itself.
type Words struct {
	Buf []byte // the text, followed by the sentinel
	Pos int    // index in Buf of the next byte to read
	End int    // index in Buf of the sentinel

	fill    func(p []byte) (int, error)
	start   int // index in Buf of the word that Next returned last
	atEOF   bool
	eol     byte
	counted int // index in Buf up to which line ends are counted
	lines   int // number of line ends in the text before Buf[counted]
}

// MaxName is the greatest number of bytes of a name that are kept. Longer names are cut off.
const MaxName = 512

// sentinel follows the text in the buffer. The first space of the sentinel ends the last word. Its "~" ends white
// space. So loops need no check for the end of the buffer.
const sentinel = " ~ "

// NewWords returns the words of a text. The function fill reads the text. Each call of fill must read at least
// Lookahead bytes, or as many as p holds. At the end of the text, fill may read fewer bytes and returns io.EOF. Lines
// end with the byte eol.
func NewWords(fill func(p []byte) (int, error), eol byte) *Words {
	w := &Words{fill: fill, Buf: make([]byte, BufferSize+len(sentinel)), eol: eol}
	copy(w.Buf, sentinel)
	return w
}

// Jump drops the contents of the buffer and continues with the bytes that fill reads next. lines is the number of line
// ends in the file before these bytes.
func (w *Words) Jump(lines int) {
	w.Pos, w.End, w.start, w.counted, w.lines = 0, 0, 0, 0, lines
	copy(w.Buf, sentinel)
}

// More fills the buffer so that it holds at least Lookahead unread bytes, or the rest of the text.
func (w *Words) More() error {
	if w.End-w.Pos >= Lookahead || w.atEOF {
		return nil
	}
	w.countLines(w.Pos)
	w.End = copy(w.Buf, w.Buf[w.Pos:w.End])
	w.Pos, w.counted = 0, 0
	n, err := w.fill(w.Buf[w.End:BufferSize])
	w.End += n
	copy(w.Buf[w.End:], sentinel)
	w.atEOF = err == io.EOF
	if w.atEOF {
		err = nil
	}
	return err
}

// Next returns the next word, which is valid until the next call. It is empty at the end of the input.
func (w *Words) Next() ([]byte, error) {
	for {
		if err := w.More(); err != nil {
			return nil, err
		}
		p := min(SkipSpace(w.Buf, w.Pos), w.End)
		w.Pos = p
		if w.End-p < Lookahead && !w.atEOF {
			continue
		}
		w.start = p
		for limit := min(w.End, p+Lookahead); p < limit && !IsSpace(w.Buf[p]); {
			p++
		}
		w.Pos = p
		return w.Buf[w.start:p], nil
	}
}

// Start returns the index in Buf of the word that Next returned last.
func (w *Words) Start() int { return w.start }

// Back makes Next return the last word again.
func (w *Words) Back() { w.Pos = w.start }

// Line returns the number of the line with the last word, counted from 1.
func (w *Words) Line() int { return w.LineAt(w.start) }

// LineAt returns the number of the line that contains Buf[at]. `at` must not be less than in the call before.
func (w *Words) LineAt(at int) int {
	w.countLines(at)
	return w.lines + 1
}

func (w *Words) countLines(to int) {
	if to > w.counted {
		w.lines += bytes.Count(w.Buf[w.counted:to], []byte{w.eol})
		w.counted = to
	}
}

// Place returns "line 12" for the last word.
func (w *Words) Place() string { return fmt.Sprintf("line %d", w.Line()) }

// RestOfLine reads the rest of the line. It returns at most MaxName bytes of it, without the white space around them.
// If the function end is not nil, reading may stop before the end of the line. end then returns the index in the line
// at which reading stops, or -1 for the end of the line.
func (w *Words) RestOfLine(end func(line []byte) int) (string, error) {
	if err := w.More(); err != nil {
		return "", err
	}
	line := w.Buf[w.Pos:w.End]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	if end != nil {
		if i := end(line[:min(len(line), Lookahead)]); i >= 0 {
			line = line[:i]
		}
	}
	name := string(bytes.TrimSpace(line[:min(len(line), MaxName)]))
	return name, w.skipLine(len(line))
}

// skipLine skips n bytes. If they reach the end of the buffer, it also skips all further bytes of the line.
func (w *Words) skipLine(n int) error {
	for {
		w.Pos += n
		if w.Pos < w.End || w.atEOF {
			return nil
		}
		if err := w.More(); err != nil {
			return err
		}
		n = bytes.IndexAny(w.Buf[:w.End], "\r\n")
		if n < 0 {
			n = w.End
		}
	}
}
