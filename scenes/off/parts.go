package off

import (
	"errors"
	"io"
	"sync/atomic"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/text"
)

// A part is a piece of a text that a goroutine parses on its own. The parser of a part does not know the number of
// the part's first row. It guesses this number from the number of the first line. Usually each line is a row, and the
// guess is right.
type part struct {
	*reader
	start int64  // guessed number of the part's first row
	text  []byte // the lines of the part; parsing changes them
	whole bool   // the part was read to its end without damage
}

// textReader is the state of readText.
type textReader struct {
	*reader
	before     int          // number of lines of the header
	extraLines atomic.Int64 // number of lines minus number of rows, so far
	carry      []byte       // text of the last row of the last chunk, if the next chunk may continue it
	line       int          // number of the line where the text in carry starts
	text       []byte       // copy of the text being read; reading changes it
}

// maxCarry is the greatest length of carry in bytes. It is twice the length of a face with indexed.MaxCorners
// corners. A row longer than maxCarry is taken to end with its line.
const maxCarry = 1 << 20

// readText reads a text by lines, and returns the size of the file. skip and lines are the numbers of bytes and of
// lines before the rows.
func (r *reader) readText(how fileFormat, skip, lines int) (int64, error) {
	in := r.in
	t := &textReader{reader: r, before: lines}
	chunks := text.NewChunks[part](in.Prefix, skip, lines, in.Size == int64(len(in.Prefix)), in.Fill, parallel.Workers(in.Options.Workers, 1<<10))
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
			if err := t.finish(chunks.EOL()); err != nil && err != errEnd {
				return chunks.Bytes(), withoutIgnored(err)
			}
			r.lines.SetLine(chunks.Line())
			if r.rowsRead < r.counts[0] || r.rowsRead-r.counts[0] < r.counts[1] {
				return chunks.Bytes(), r.warnEndsEarly()
			}
			return chunks.Bytes(), nil
		case errors.Is(err, text.ErrLongLine):
			r.began = 0
			r.lines.SetLine(chunks.Line())
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

// parse parses a chunk of the text as a part. Chunks before it are perhaps not parsed yet.
func (t *textReader) parse(c *text.Chunk[part], eol byte) {
	p := &c.Parsed
	if p.reader == nil {
		p.reader = newReader(indexed.NewPart(t.in.Options.Flat))
		p.layout, p.counts, p.reader.part = t.layout, t.counts, true
	}
	p.Reset()
	p.start = max(0, int64(c.Line-1-t.before)-t.extraLines.Load())
	p.rowsRead = p.start
	p.text = append(append(p.text[:0], c.Text...), 0)[:len(c.Text)]
	p.lines.Reset(p.text, eol, c.Line)
	err := p.readRows()
	p.whole = err == nil || err == errEnd
}

// join adds the next chunk to the mesh. If the chunk was parsed to its end as a part, and the guess of the part was
// right, join copies the rows of the part. Otherwise it reads the chunk again.
func (t *textReader) join(c *text.Chunk[part], eol byte) error {
	p := &c.Parsed
	lines := int64(c.Line - 1 - t.before + c.Lines())
	if p.whole && len(t.carry) == 0 && p.start == t.rowsRead && t.Fits(p.Mesh) {
		t.rowsRead = p.rowsRead
		t.extraLines.Store(lines - t.rowsRead)
		if err := t.AppendPoints(p.Mesh); err != nil {
			return err
		}
		return t.AppendTriangles(p.Mesh, 0, p.Triangles(), indexed.NoColor, 0)
	}
	if len(t.carry) == 0 {
		t.line = c.Line
	}
	t.carry = append(t.carry, c.Text...)
	t.atEnd = len(t.carry) > maxCarry
	if err := t.readCarry(eol); err != nil && err != errEnd {
		return err
	}
	t.extraLines.Store(lines - t.rowsRead)
	return nil
}

// readCarry reads the rows in carry. The last row stays there if the next chunk may continue it.
func (t *textReader) readCarry(eol byte) error {
	n := len(t.carry)
	t.text = append(append(t.text[:0], t.carry...), 0)[:n]
	t.lines.Reset(t.text, eol, t.line)
	err := t.readRows()
	if err != errSplit {
		t.carry = t.carry[:0]
		return err
	}
	t.line = t.began
	t.carry = t.carry[:copy(t.carry, t.carry[n-t.left:])]
	return nil
}

// finish reads the rest of carry at the end of the file.
func (t *textReader) finish(eol byte) error {
	if len(t.carry) == 0 {
		return nil
	}
	t.atEnd = true
	return t.readCarry(eol)
}

// withoutIgnored returns nil if err is errIgnored, and err otherwise.
func withoutIgnored(err error) error {
	if err == errIgnored {
		return nil
	}
	return err
}
