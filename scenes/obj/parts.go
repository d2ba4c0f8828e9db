package obj

import (
	"errors"
	"io"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/text"
)

// A stateLine is a line in a part of the file that affects the faces after the line. For example, it sets their
// material. The effect of the line depends on the state before the part. So the line is handled when the parts are
// joined, in the order of the file.
type stateLine struct {
	triangles int         // number of triangles in the part before the line
	line      int         // number of the line
	fields    text.Fields // the line; the zero value means that vertices have colours from here on
}

// maxStateLines limits the number of stateLines of a part, and so their memory. If a part has more, it is read again in
// the order of the file.
const maxStateLines = 4096

// errStateLines is the error for a part with too many stateLines.
var errStateLines = errors.New("too many marks")

func (r *reader) addStateLine(f text.Fields) error {
	if len(r.stateLines) == maxStateLines {
		return errStateLines
	}
	r.stateLines = append(r.stateLines, stateLine{r.Triangles(), r.lines.Line(), f})
	return nil
}

// A part is a piece of the file that a goroutine parses on its own.
type part struct {
	*reader
	text  []byte // the lines of the part; reading changes them
	whole bool   // the part was read to its end without damage
}

// read parses a chunk of the file as a part. Chunks before it are perhaps not parsed yet. If the chunk is damaged, join
// reads it again.
func (p *part) read(c *text.Chunk[part], eol byte, flat bool) {
	if p.reader == nil {
		p.reader = newReader(indexed.NewPart(flat))
	}
	p.Reset()
	p.stateLines, p.colored = p.stateLines[:0], false
	p.text = append(append(p.text[:0], c.Text...), 0)[:len(c.Text)]
	p.lines.Reset(p.text, eol, c.Line)
	p.whole = p.readStatements() == nil
}

// read reads all chunks of the file, and returns the size of the file.
func (r *reader) read(how fileFormat) (int64, error) {
	in := r.in
	chunks := text.NewChunks[part](in.Prefix, 0, 0, in.Size == int64(len(in.Prefix)), in.Fill, parallel.Workers(in.Options.Workers, 1<<10))
	chunks.Cut = func(b []byte) int { return text.CutLines(b, chunks.EOL()) }
	chunks.Parse = func(c *text.Chunk[part]) {
		if !how.sequential {
			c.Parsed.read(c, chunks.EOL(), in.Options.Flat)
		}
	}
	chunks.SetSize(how.chunk)
	defer chunks.Close()
	for {
		c, err := chunks.Next()
		switch {
		case err == nil:
			err = r.join(c, chunks.EOL())
		case err == io.EOF:
			return chunks.Bytes(), nil
		case errors.Is(err, text.ErrLongLine):
			r.lines.SetLine(chunks.Line())
			err = in.Damage(r.place(), "%w", err)
		}
		if err != nil {
			return 0, err
		}
	}
}

// join adds the next chunk to the mesh. If the chunk was parsed to its end as a part, join copies the faces of the
// part. Otherwise it reads the chunk again.
func (r *reader) join(c *text.Chunk[part], eol byte) error {
	p := &c.Parsed
	if !p.whole || !r.Fits(p.Mesh) {
		r.lines.Reset(c.Text, eol, c.Line)
		return r.readStatements()
	}
	if err := r.AppendPoints(p.Mesh); err != nil {
		return err
	}
	done := 0
	for i := range p.stateLines {
		at := &p.stateLines[i]
		if err := r.appendFaces(p, done, at.triangles); err != nil {
			return err
		}
		done = at.triangles
		if at.fields.IsNone() {
			r.colored = true
			continue
		}
		r.lines.SetLine(at.line)
		f := at.fields
		if err := r.setState(string(f.Word()), &f); err != nil {
			return err
		}
	}
	return r.appendFaces(p, done, p.Triangles())
}

// appendFaces adds triangles lo to hi (exclusive) of a part. No stateLine may be between them.
func (r *reader) appendFaces(p *part, lo, hi int) error {
	if r.colored {
		return r.AppendTriangles(p.Mesh, lo, hi, indexed.NoColor, 0)
	}
	return r.AppendTriangles(p.Mesh, lo, hi, r.color, r.polygon.Material)
}
