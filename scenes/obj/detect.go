package obj

import (
	"bytes"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

const (
	// A text without faces is taken for OBJ if it has more than knownShare lines with known words for each line with an
	// unknown word.
	knownShare = 4
	// If a text is longer than the prefix and the prefix has no faces, manyVertices vertices suffice, because faces may
	// come after all vertices.
	manyVertices = 16
)

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"obj"} }

// Detect recognises a text that has vertices and one of these:
//
//   - a face;
//   - more than knownShare lines that start with words of the format for each other line;
//   - at least manyVertices vertices, if the text is longer than the prefix.
//
// Programs add their own words, so other words do not matter beside faces. A text that is longer than the prefix is
// plausible even without vertices, if it has at least knownShare lines of the format for each other line.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	if !text.IsText(prefix) {
		return format.No
	}
	whole := size == int64(len(prefix))
	if !whole { // the last line may be cut
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
		case string(word) == "v" && vertexLike(f):
			vertices++
		case string(word) == "f" && faceLike(f):
			faces++
		}
	}
	if vertices > 0 && (faces > 0 || known > knownShare*others || !whole && vertices >= manyVertices) {
		return format.Likely
	}
	// In some files, all normals or the names of hundreds of libraries come before the first vertex.
	if known+comments > 0 && known >= knownShare*others && !whole {
		return format.Plausible // Read decides by the lines that follow
	}
	return format.No
}

// vertexLike reports whether the line continues with three numbers. It also accepts numbers with decimal commas, which
// the reader then reports.
func vertexLike(f text.Fields) bool {
	g := f
	if _, ok := vector(&g); ok {
		return true
	}
	for f.More() {
		if word := f.Word(); text.Commas(word) != "" {
			return true
		}
	}
	return false
}

// faceLike reports whether the line continues with three corners.
func faceLike(f text.Fields) bool {
	for range 3 {
		if _, ok := f.Digits(); !ok {
			return false
		}
		for !f.AtSpace() {
			if !f.Accept('/') {
				return false
			}
			if !f.AtSpace() {
				f.Digits() // the number may be missing: v//vn
			}
		}
	}
	return true
}
