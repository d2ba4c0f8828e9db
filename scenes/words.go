package scenes

import (
	"bytes"
	"fmt"
	"io"
)

const (
	textBuffer = 256 << 10 // bytes; fits the second-level cache
	// lookahead is how many bytes are in the buffer before a word is read,
	// unless the input ends. Four times a usual facet, so that few facets
	// straddle two buffers; words that are longer fall apart.
	lookahead = 1024
)

// words splits a text into words between white space. Lines end with LF or
// CR LF, or with CR if the first buffer has no LF.
type words struct {
	in      *input
	buf     []byte // the text, then sentinel
	pos     int    // index into buf of the next byte to read
	end     int    // index into buf of the sentinel
	start   int    // index into buf of the last word that next returned
	atEOF   bool
	eol     byte
	counted int // index into buf up to which lines is right
	lines   int // line ends before that
}

// sentinel ends every buffer: a space ends the last word, a word without
// meaning ends white space, and no loop has to look for the end.
const sentinel = " ~ "

func (w *words) init(in *input) {
	w.in = in
	w.buf = make([]byte, textBuffer+len(sentinel))
	w.end = copy(w.buf, bytes.TrimPrefix(in.prefix, utf8BOM))
	w.atEOF = in.size == int64(len(in.prefix))
	copy(w.buf[w.end:], sentinel)
	w.eol = '\n'
	if bytes.IndexByte(in.prefix, '\n') < 0 {
		w.eol = '\r'
	}
}

// more makes sure that lookahead bytes are in the buffer, or all that is left.
func (w *words) more() error {
	if w.end-w.pos >= lookahead || w.atEOF {
		return nil
	}
	w.countLines(w.pos)
	w.end = copy(w.buf, w.buf[w.pos:w.end])
	w.pos, w.counted = 0, 0
	n, err := w.in.fill(w.buf[w.end:textBuffer])
	w.end += n
	copy(w.buf[w.end:], sentinel)
	w.atEOF = err == io.EOF
	if w.atEOF {
		err = nil
	}
	return err
}

// next returns the next word, empty at the end of the input. It is valid
// until the following call.
func (w *words) next() ([]byte, error) {
	for {
		if err := w.more(); err != nil {
			return nil, err
		}
		p := min(skipSpace(w.buf, w.pos), w.end)
		w.pos = p
		if w.end-p < lookahead && !w.atEOF {
			continue
		}
		w.start = p
		for limit := min(w.end, p+lookahead); p < limit && !isSpace(w.buf[p]); {
			p++
		}
		w.pos = p
		return w.buf[w.start:p], nil
	}
}

// back makes next return the last word again.
func (w *words) back() { w.pos = w.start }

// line returns the line of the last word, from 1.
func (w *words) line() int { return w.lineAt(w.start) }

// lineAt returns the line of buf[at], which must not lie before any place that
// was asked for earlier.
func (w *words) lineAt(at int) int {
	w.countLines(at)
	return w.lines + 1
}

func (w *words) countLines(to int) {
	if to > w.counted {
		w.lines += bytes.Count(w.buf[w.counted:to], []byte{w.eol})
		w.counted = to
	}
}

func (w *words) place() string { return fmt.Sprintf("line %d", w.line()) }

// maxName is how many bytes of a name are kept.
const maxName = 512

// restOfLine returns what stands before the end of the line without the white
// space around it, and steps over it. In a file without line ends a name also
// ends before the first facet.
func (w *words) restOfLine() (string, error) {
	if err := w.more(); err != nil {
		return "", err
	}
	line := w.buf[w.pos:w.end]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	if i := facetIn(line[:min(len(line), lookahead)]); i >= 0 {
		line = line[:i]
	}
	name := string(bytes.TrimSpace(line[:min(len(line), maxName)]))
	return name, w.skipLine(len(line))
}

// skipLine steps over n bytes, and if those are all there is, over all bytes
// before the end of the line.
func (w *words) skipLine(n int) error {
	for {
		w.pos += n
		if w.pos < w.end || w.atEOF {
			return nil
		}
		if err := w.more(); err != nil {
			return err
		}
		n = bytes.IndexAny(w.buf[:w.end], "\r\n")
		if n < 0 {
			n = w.end
		}
	}
}

// facetIn returns the index in line of what certainly is a facet, -1 if there
// is none: the words are common enough in names, with three numbers between
// them they are not.
func facetIn(line []byte) int {
	for p := 0; p < len(line); p++ {
		i := bytes.IndexAny(line[p:], "fF")
		if i < 0 {
			return -1
		}
		p += i
		if p > 0 && !isSpace(line[p-1]) {
			continue
		}
		f := bytes.Fields(line[p:min(len(line), p+200)])
		if len(f) > 5 && keywordOf(f[0]) == kwFacet && keywordOf(f[1]) == kwNormal && keywordOf(f[5]) == kwOuter {
			return p
		}
	}
	return -1
}
