package stl

import (
	"fmt"
	"io"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// writeASCII writes a text, see WriteOptions.
func writeASCII(w io.Writer, src scenes.Source) error {
	a := asciiWriter{origin: src.Info().Origin}
	if m, ok := src.(*scenes.Mesh); ok {
		a.parts = m.Parts
	}
	err := eachBlock(src, func(first int, b *scenes.Block) error {
		a.row = a.row[:0]
		for t := range b.Len() {
			a.beginTriangle(first + t)
			a.writeFacet(b, t)
		}
		if _, err := w.Write(a.row); err != nil {
			return fmt.Errorf("write STL: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	a.row = a.row[:0]
	if !a.open {
		a.beginSolid("")
	}
	a.endSolid()
	if _, err := w.Write(a.row); err != nil {
		return fmt.Errorf("write STL: %w", err)
	}
	return nil
}

// An asciiWriter is the state of writeASCII.
type asciiWriter struct {
	row    []byte
	origin [3]float64
	parts  []scenes.Part // parts that are not begun yet
	end    int           // index after the last triangle of the open part
	open   bool
	name   string
}

// beginTriangle writes what is needed before triangle t: the end of the last solid, or the start of the next one.
func (a *asciiWriter) beginTriangle(t int) {
	starts := len(a.parts) > 0 && a.parts[0].First == t
	if a.open && (starts || a.end == t) {
		a.endSolid()
	}
	if starts {
		a.end = t + a.parts[0].Count
		a.beginSolid(a.parts[0].Name)
		a.parts = a.parts[1:]
	} else if !a.open {
		a.end = -1
		a.beginSolid("")
	}
}

func (a *asciiWriter) beginSolid(name string) {
	a.open, a.name = true, name
	a.row = append(text.AppendLine(append(a.row, "solid "...), name), '\n')
}

func (a *asciiWriter) endSolid() {
	a.open = false
	a.row = append(text.AppendLine(append(a.row, "endsolid "...), a.name), '\n')
}

func (a *asciiWriter) writeFacet(b *scenes.Block, t int) {
	corners := b.Triangle(t)
	a.row = text.AppendPoint(append(a.row, "facet normal"...), unitNormal(&corners), [3]float64{})
	a.row = append(a.row, "\nouter loop\n"...)
	for _, c := range corners {
		a.row = append(text.AppendPoint(append(a.row, "vertex"...), c, a.origin), '\n')
	}
	a.row = append(a.row, "endloop\nendfacet\n"...)
}
