package ply

import (
	"errors"
	"io"
	"sync/atomic"

	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/text"
)

// A part is a piece of a text that a goroutine parses on its own. The parser of a part must guess the number of the
// part's first row. It guesses the number of the first line minus the number of lines found so far that are not rows.
// The guess is right if all blank lines and comments before the part have been found.
type part struct {
	*reader
	rows  textRows
	start uint64 // guessed number of the part's first row
	text  []byte // the lines of the part; parsing changes them
	whole bool   // the part was read to its end without damage
}

// textReader is the state of readText.
type textReader struct {
	*reader
	rows  textRows
	first int          // number of the line after the header
	row   uint64       // number of the next row of the text
	blank atomic.Int64 // number of lines found so far that are not rows
	begun reader       // copy of the reader, made before the first row; each part is parsed by a copy of it
}

// readText reads a text in which each row is a line, and returns the size of the file.
func (r *reader) readText(h *header, how fileFormat) (int64, error) {
	in := r.in
	t := &textReader{reader: r, first: h.lines + 1, begun: *r}
	r.rows = &t.rows
	chunks := text.NewChunks[part](in.Prefix, h.size, h.lines, in.Size == int64(len(in.Prefix)), in.Fill, parallel.Workers(in.Options.Workers, 1<<10))
	chunks.Parse = func(c *text.Chunk[part]) {
		if !how.sequential {
			t.parse(c, chunks.EOL())
		}
	}
	chunks.SetSize(how.chunk)
	defer chunks.Close()
	for {
		c, err := chunks.Next()
		switch {
		case err == nil:
			err = t.join(c, chunks.EOL())
		case err == io.EOF:
			t.rows.SetLine(chunks.Line())
			if r.seekRow() {
				return chunks.Bytes(), r.warnEndsEarly()
			}
			return chunks.Bytes(), nil
		case errors.Is(err, text.ErrLongLine):
			t.rows.SetLine(chunks.Line())
			err = in.Damage(r.place(), "%w", err)
		}
		if err == errIgnored {
			return chunks.Bytes(), nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// errIgnored is the error for text after the last row. The reader has added a warning before it returns errIgnored.
var errIgnored = errors.New("the rest is ignored")

// positionOf returns the element to which a row of the text belongs, and the number of the row in this element.
func positionOf(elements []element, row uint64) rowPosition {
	for i := range elements {
		e := &elements[i]
		if len(e.properties) == 0 {
			continue
		}
		if row < e.count {
			return rowPosition{i, row}
		}
		row -= e.count
	}
	return rowPosition{len(elements), 0}
}

// parse parses a chunk of the text as a part. Chunks before it are perhaps not parsed yet.
func (t *textReader) parse(c *text.Chunk[part], eol byte) {
	p := &c.Parsed
	if p.reader == nil {
		r := t.begun
		p.reader = &r
		p.Mesh, p.reader.rows, p.row = indexed.NewPart(t.in.Options.Flat), &p.rows, row{}
		p.nameFields()
		p.reader.readFast = p.readFast
	}
	p.Reset()
	p.start = uint64(max(0, int64(c.Line-t.first)-t.blank.Load()))
	p.at = positionOf(p.elements, p.start)
	p.text = append(append(p.text[:0], c.Text...), 0)[:len(c.Text)]
	p.rows.Reset(p.text, eol, c.Line)
	p.rows.blank = 0
	err := p.readRows()
	p.whole = err == nil || err == binary.ErrEnd
}

// join adds the next chunk to the mesh. If the chunk was parsed to its end as a part, and the guess of the part was
// right, join copies the rows of the part. Otherwise it reads the chunk again.
func (t *textReader) join(c *text.Chunk[part], eol byte) error {
	p := &c.Parsed
	if p.whole && p.start == t.row && t.Fits(p.Mesh) {
		t.reader.at = p.at
		t.countRows(c, p.rows.blank)
		if err := t.AppendPoints(p.Mesh); err != nil {
			return err
		}
		return t.AppendTriangles(p.Mesh, 0, p.Triangles(), indexed.NoColor, 0)
	}
	t.rows.Reset(c.Text, eol, c.Line)
	t.rows.blank = 0
	if err := t.readRows(); err != nil && err != binary.ErrEnd {
		return err
	}
	t.countRows(c, t.rows.blank)
	return nil
}

// countRows counts the rows of a chunk. blank is the number of its lines that are blank or comments.
func (t *textReader) countRows(c *text.Chunk[part], blank int) {
	t.row += uint64(c.Lines() - blank)
	t.blank.Add(int64(blank))
}
