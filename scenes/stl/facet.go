package stl

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// readFacet reads a facet of any form after the word "facet".
func (a *asciiReader) readFacet() error {
	place, at := a.Place(), a.Line()
	if !a.inSolid {
		if err := a.warn.Add(place, "facet outside of a solid"); err != nil {
			return err
		}
		a.name, a.first, a.inSolid = "", a.mesh.n, true
	}
	poly, problem, err := a.parsePolygon()
	if err != nil {
		return err
	}
	if problem == "" && len(poly) < 3 {
		problem = fmt.Sprintf("facet of %d corners left out", len(poly))
	} else if problem == "" && len(poly) > 3 {
		err = a.warn.Add(place, "facet of %d corners drawn as triangles", len(poly))
	} else if problem != "" {
		poly = nil
	}
	if problem != "" {
		err = a.warn.Add(place, "%s", problem)
	}
	if err != nil {
		return err
	}
	for k := 2; k < len(poly); k++ {
		a.corners = [3][3]float64{poly[0], poly[k-1], poly[k]}
		if err := a.mesh.add(&a.corners, at); err != nil {
			return err
		}
	}
	return nil
}

// maxCorners is the greatest number of corners of a facet. It limits the memory for a facet.
const maxCorners = 256

// parsePolygon parses a facet from its normal to "endfacet". If the facet is damaged, problem describes what is wrong,
// and reading can continue at the next word.
func (a *asciiReader) parsePolygon() (poly [][3]float64, problem string, err error) {
	word, err := a.nextWord()
	if err != nil {
		return nil, "", err
	}
	if keywordOf(word) == kwNormal {
		if word, err = a.skipNumbers(); err != nil {
			return nil, "", err
		}
	}
	for _, kw := range [...]keyword{kwOuter, kwLoop} {
		if keywordOf(word) != kw {
			return a.skipDamage(word, keywords[kw])
		}
		if word, err = a.nextWord(); err != nil {
			return nil, "", err
		}
	}
	poly, word, problem, err = a.parseLoop(word)
	if err != nil || problem != "" {
		return nil, problem, err
	}
	if keywordOf(word) != kwEndloop {
		return a.skipDamage(word, "vertex or endloop")
	}
	if word, err = a.nextWord(); err != nil {
		return nil, "", err
	}
	if keywordOf(word) != kwEndfacet {
		return a.skipDamage(word, "endfacet")
	}
	return poly, "", nil
}

// parseLoop parses the vertices of a facet. `word` is the first word after "loop". `after` is the first word after the
// vertices. If the facet is damaged, problem describes what is wrong.
func (a *asciiReader) parseLoop(word []byte) (poly [][3]float64, after []byte, problem string, err error) {
	for keywordOf(word) == kwVertex {
		v, bad, err := a.parseVertex()
		if err != nil {
			return nil, nil, "", err
		}
		if bad != nil {
			_, problem, err = a.skipDamage(bad, "three numbers")
			return nil, nil, problem, err
		}
		if poly = append(poly, v); len(poly) > maxCorners {
			_, _, err = a.skipDamage(word, "")
			return nil, nil, fmt.Sprintf("facet of more than %d corners left out", maxCorners), err
		}
		if word, err = a.nextWord(); err != nil {
			return nil, nil, "", err
		}
	}
	return poly, word, "", nil
}

// skipNumbers skips up to three words that look like numbers and returns the word after them.
func (a *asciiReader) skipNumbers() (word []byte, err error) {
	for range 3 {
		if word, err = a.nextWord(); err != nil {
			return nil, err
		}
		if len(word) == 0 || !mayStartNumber(word[0]) {
			return word, nil
		}
	}
	return a.nextWord()
}

// parseVertex parses three numbers. If a word is not a number, bad is that word. At the end of the input, bad is empty
// but not nil.
func (a *asciiReader) parseVertex() (v [3]float64, bad []byte, err error) {
	for c := range v {
		word, err := a.nextWord()
		if err != nil {
			return v, nil, err
		}
		if len(word) == 0 {
			return v, []byte{}, nil
		}
		var ok bool
		if v[c], _, ok = text.Decimal(a.Buf, a.Start()); !ok {
			return v, word, nil
		}
	}
	return v, nil, nil
}

// skipDamage handles a facet that has `word` where `want` is expected. It returns the problem, and skips words until
// reading can continue.
func (a *asciiReader) skipDamage(word []byte, want string) (_ [][3]float64, problem string, err error) {
	if len(word) == 0 {
		a.cut = true
		return nil, "the file ends within this facet, which is left out", nil
	}
	problem = fmt.Sprintf("facet left out: %s where %s should be%s", text.Short(word), want, text.CommaHint(word))
	a.Back()
	return nil, problem, a.skipToFacet()
}
