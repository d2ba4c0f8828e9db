package obj

import (
	"bytes"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

const (
	// knownShare applies to texts without faces. Such a text is taken for OBJ if it has more than knownShare lines that
	// start with a keyword for each line that does not.
	knownShare = 4
	// manyVertices applies to texts that are longer than the examined prefix. In such a text, manyVertices vertices
	// are enough even without a face. The faces may come after all vertices.
	manyVertices = 16
)

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"obj"} }

// Detect recognises a text that has vertices and one of these:
//
//   - a face;
//   - more than knownShare lines that start with a keyword for each line that does not;
//   - at least manyVertices vertices, if the text is longer than the prefix.
//
// Unknown words do not matter if there is a face, because programs add words of their own. A text that is longer than
// the prefix is plausible even without vertices, if it has at least knownShare lines that start with a keyword for each
// line that does not.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	if !text.IsText(prefix) {
		return format.No
	}
	whole := size == int64(len(prefix))
	if !whole { // ignores the last line, which may be cut off
		prefix = prefix[:1+max(bytes.LastIndexByte(prefix, '\n'), bytes.LastIndexByte(prefix, '\r'))]
	}
	lines := text.NewLines(prefix, true, nil)
	lines.Join = true
	known, others, vertices, faces, comments := 0, 0, 0, 0, 0
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			break
		}
		word := f.Word()
		if len(word) == 0 {
			continue
		}
		if word[0] == '#' {
			comments++
			continue
		}
		if _, ok := statements[string(word)]; !ok {
			others++
			continue
		}
		known++
		switch {
		case string(word) == "v" && mayBeVertex(f):
			vertices++
		case string(word) == "f" && mayBeFace(f):
			faces++
		}
	}
	if vertices > 0 && (faces > 0 || known > knownShare*others || !whole && vertices >= manyVertices) {
		return format.Likely
	}
	// In some files, all normals or the names of hundreds of libraries precede the first vertex.
	if known+comments > 0 && known >= knownShare*others && !whole {
		return format.Plausible // Read decides by the following lines
	}
	return format.No
}

// mayBeVertex reports whether the line continues with three numbers. It also accepts numbers with decimal commas, about
// which the reader then warns.
func mayBeVertex(f text.Fields) bool {
	g := f
	if _, ok := parseVector(&g); ok {
		return true
	}
	for f.More() {
		if word := f.Word(); text.CommaHint(word) != "" {
			return true
		}
	}
	return false
}

// mayBeFace reports whether the line continues with three corners.
func mayBeFace(f text.Fields) bool {
	for range 3 {
		if _, ok := f.Digits(); !ok {
			return false
		}
		for !f.AtSpace() {
			if !f.Accept('/') {
				return false
			}
			if !f.AtSpace() {
				f.Digits() // a number may be missing, as in v//vn
			}
		}
	}
	return true
}
