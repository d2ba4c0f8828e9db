package text

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// BufferSize is the number of bytes that Words keeps; it fits the
	// second-level cache.
	BufferSize = 256 << 10
	// Lookahead is how many bytes are in the buffer before a word is read,
	// unless the input ends. Four times a usual facet, so that few facets
	// straddle two buffers; words that are longer fall apart.
	Lookahead = 1024
)

// Words splits a text into words between white space.
//
// A reader that knows its grammar may look ahead in Buf after More, which
// leaves at least Lookahead bytes there, and move Pos.
type Words struct {
	Buf []byte // the text, then a sentinel: white space, a word, white space
	Pos int    // index into Buf of the next byte to read
	End int    // index into Buf of the sentinel

	fill    func(p []byte) (int, error)
	start   int // index into Buf of the last word that Next returned
	atEOF   bool
	eol     byte
	counted int // index into Buf up to which lines is right
	lines   int // line ends before that
}

// MaxName is how many bytes of a name are kept.
const MaxName = 512

// sentinel ends every buffer: a space ends the last word, a word without
// meaning ends white space, and no loop has to look for the end.
const sentinel = " ~ "

// NewWords returns the words of a text of which fill reads some bytes into p, at least
// Lookahead if that is less than p has, until the text ends with io.EOF. Lines end with
// eol.
func NewWords(fill func(p []byte) (int, error), eol byte) *Words {
	w := &Words{fill: fill, Buf: make([]byte, BufferSize+len(sentinel)), eol: eol}
	copy(w.Buf, sentinel)
	return w
}

// Jump forgets what is in the buffer and goes on with what fill reads next, before which
// the file has the given number of line ends.
func (w *Words) Jump(lines int) {
	w.Pos, w.End, w.start, w.counted, w.lines = 0, 0, 0, 0, lines
	copy(w.Buf, sentinel)
}

// More makes sure that Lookahead bytes are in the buffer, or all that is left.
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

// Next returns the next word, empty at the end of the input. It is valid
// until the following call.
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

// Start returns the index into Buf of the last word that Next returned.
func (w *Words) Start() int { return w.start }

// Back makes Next return the last word again.
func (w *Words) Back() { w.Pos = w.start }

// Line returns the line of the last word, from 1.
func (w *Words) Line() int { return w.LineAt(w.start) }

// LineAt returns the line of Buf[at], which must not lie before any place that
// was asked for earlier.
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

// RestOfLine returns what stands before the end of the line, at most MaxName
// bytes without the white space around them, and steps over it. end, if not
// nil, returns the index in a line where a name ends before the line does, -1
// if there is none.
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

// skipLine steps over n bytes, and if those are all there is, over all bytes
// before the end of the line.
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
