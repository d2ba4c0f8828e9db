package stl

import (
	"bytes"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// readASCII reads an ASCII STL file from front to back.
//
// It accepts keywords in any case, any white space, and any number of solids, each of which becomes a part. A polygon
// of more than three corners becomes a fan, with a warning. A facet with fewer corners, or with anything unexpected in
// it, is left out with a warning. Reading continues at the next facet or solid.
func readASCII(in *format.Input, how fileFormat) (*scenes.Mesh, *scenes.Report, error) {
	a := newASCIIReader(in, how)
	defer a.feed.chunks.Close()
	if err := a.readSolids(); err != nil {
		return nil, nil, err
	}
	m, tally, err := a.mesh.finish()
	if err != nil {
		return nil, nil, err
	}
	if m.Len() == 0 && a.warn.First() != nil {
		return nil, nil, a.warn.First()
	}
	m.Parts = a.parts
	if err := a.warn.NotFinite(fmt.Sprintf("line %d", tally.firstBad), tally.bad, tally.large); err != nil {
		return nil, nil, err
	}
	rep := tally.report(m.Len(), in.Done(), a.warn.Lines())
	rep.Format = FormatASCII
	return m, rep, nil
}

// An asciiReader is the state of readASCII.
type asciiReader struct {
	*text.Words
	feed    *feed
	mesh    facetCollector
	warn    *format.Warnings
	parts   []scenes.Part
	name    string // name of the current solid
	first   int    // index of the first triangle of the solid
	inSolid bool
	cut     bool          // the input ends inside a facet
	corners [3][3]float64 // corners of the current facet
}

func newASCIIReader(in *format.Input, how fileFormat) *asciiReader {
	feed := newFeed(in, how)
	a := &asciiReader{Words: text.NewWords(feed.fill, feed.chunks.EOL()), feed: feed, warn: in.Warnings()}
	a.mesh.init(in)
	return a
}

// readSolids reads the whole input.
func (a *asciiReader) readSolids() error {
	for {
		if err := a.addWholeFacets(); err != nil {
			return err
		}
		word, err := a.nextWord()
		if err != nil {
			return err
		}
		switch kw := keywordOf(word); {
		case len(word) == 0:
			return a.closeLastSolid()
		case kw == kwFacet:
			err = a.readFacet()
		case kw == kwSolid:
			err = a.beginSolid()
		case kw == kwEndsolid:
			err = a.endSolid()
		default:
			err = a.skipUnexpected(word)
		}
		if err != nil {
			return err
		}
	}
}

// addWholeFacets adds the facets that goroutines have parsed already. It also parses facets in the buffer that have the
// usual form: three corners and nothing unexpected. It stops before any other text, which is parsed word by word and
// more slowly.
func (a *asciiReader) addWholeFacets() error {
	if !a.inSolid {
		return nil
	}
	for {
		if err := a.More(); err != nil {
			return err
		}
		at := text.SkipSpace(a.Buf, a.Pos)
		if ready := a.feed.parsedAt(a.End - at); len(ready) > 0 {
			for i := range ready {
				if err := a.mesh.add(&ready[i].corners, ready[i].line); err != nil {
					return err
				}
			}
			a.Jump(a.feed.skipParsed())
			continue
		}
		p, ok := parseFacet(a.Buf, at, &a.corners)
		if !ok || p >= a.End {
			return nil
		}
		if err := a.mesh.add(&a.corners, a.LineAt(at)); err != nil {
			return err
		}
		a.Pos = p
	}
}

// parseFacet parses the facet at b[p:] into corners. It returns the index after the facet and the white space that
// follows. ok is false if the facet does not have the usual form.
func parseFacet(b []byte, p int, corners *[3][3]float64) (next int, ok bool) {
	if p, ok = skipWord(b, p, "facet"); !ok {
		return p, false
	}
	if p, ok = skipWord(b, p, "normal"); !ok {
		return p, false
	}
	for range 3 {
		if !mayStartNumber(b[p]) {
			return p, false
		}
		for !text.IsSpace(b[p]) {
			p++
		}
		p = text.SkipSpace(b, p)
	}
	if p, ok = skipWord(b, p, "outer"); !ok {
		return p, false
	}
	if p, ok = skipWord(b, p, "loop"); !ok {
		return p, false
	}
	for k := range corners {
		if p, ok = skipWord(b, p, "vertex"); !ok {
			return p, false
		}
		for c := range corners[k] {
			if corners[k][c], p, ok = text.Decimal(b, p); !ok {
				return p, false
			}
			p = text.SkipSpace(b, p)
		}
	}
	if p, ok = skipWord(b, p, "endloop"); !ok {
		return p, false
	}
	return skipWord(b, p, "endfacet")
}

// mayStartNumber reports whether a number may start with c. This test is enough for normals, which are not used.
func mayStartNumber(c byte) bool { return c <= '9' || c|0x20 == 'n' || c|0x20 == 'i' }

// skipWord skips `word`, in upper or lower case, and the white space after it. word must be in lower case. ok is false
// if b[p:] does not start with it.
func skipWord(b []byte, p int, word string) (next int, ok bool) {
	for i := range len(word) {
		if b[p+i]|0x20 != word[i] {
			return p, false
		}
	}
	p += len(word)
	if !text.IsSpace(b[p]) {
		return p, false
	}
	return text.SkipSpace(b, p), true
}

// beginSolid starts a part. The caller has read the word "solid".
func (a *asciiReader) beginSolid() error {
	if a.inSolid {
		if err := a.warn.Add(a.Place(), "solid %s has no endsolid", text.Short(a.name)); err != nil {
			return err
		}
		a.closePart()
	}
	name, err := a.RestOfLine(facetIn)
	a.name, a.first, a.inSolid = name, a.mesh.n, true
	return err
}

// endSolid ends the part. The caller has read the word "endsolid".
func (a *asciiReader) endSolid() error {
	if !a.inSolid {
		if err := a.warn.Add(a.Place(), "endsolid without a solid"); err != nil {
			return err
		}
	}
	_, err := a.RestOfLine(facetIn)
	a.closePart()
	return err
}

// closePart adds the current part to the list of parts if it has triangles. Empty parts are dropped. Otherwise a text
// that repeats "solid" could make memory grow faster than the input.
func (a *asciiReader) closePart() {
	if a.inSolid && a.mesh.n > a.first {
		a.parts = append(a.parts, scenes.Part{Name: a.name, First: a.first, Count: a.mesh.n - a.first})
	}
	a.inSolid = false
}

// closeLastSolid closes the last solid at the end of the file.
func (a *asciiReader) closeLastSolid() error {
	if a.inSolid && !a.cut {
		if err := a.warn.Add(a.Place(), "the file ends without endsolid"); err != nil {
			return err
		}
	}
	a.closePart()
	return nil
}

// skipUnexpected adds a warning about a word that should not be there, and skips everything up to the next facet or
// solid.
func (a *asciiReader) skipUnexpected(word []byte) error {
	if err := a.warn.Add(a.Place(), "unexpected %s", text.Short(word)); err != nil {
		return err
	}
	return a.skipToFacet()
}

// skipToFacet skips words up to the next facet, solid or endsolid.
func (a *asciiReader) skipToFacet() error {
	for {
		word, err := a.nextWord()
		if err != nil || len(word) == 0 {
			return err
		}
		if kw := keywordOf(word); kw == kwFacet || kw == kwSolid || kw == kwEndsolid {
			a.Back()
			return nil
		}
	}
}

// facetIn returns the index of a facet in `line`, or -1 if there is none. It looks for "facet normal", three words and
// "outer". The name of a solid may contain keywords, but hardly with three words between them.
func facetIn(line []byte) int {
	for p := 0; p < len(line); p++ {
		i := bytes.IndexAny(line[p:], "fF")
		if i < 0 {
			return -1
		}
		p += i
		if p > 0 && !text.IsSpace(line[p-1]) {
			continue
		}
		f := bytes.Fields(line[p:min(len(line), p+200)])
		if len(f) > 5 && keywordOf(f[0]) == kwFacet && keywordOf(f[1]) == kwNormal && keywordOf(f[5]) == kwOuter {
			return p
		}
	}
	return -1
}
