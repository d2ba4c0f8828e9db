package obj

import (
	"bytes"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

const (
	// knownShare is how many lines of known words an unknown one needs beside it in a text
	// without faces.
	knownShare = 4
	// manyVertices, in the first part of a long text, are enough without a face: the faces may
	// stand behind all vertices.
	manyVertices = 16
)

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"obj"} }

// Detect recognises a text with vertices and faces, whatever else is in it: programs add words of
// their own. Where there is no face, most lines have to begin with words of the format, or the
// text has to go on behind many vertices. Comments may go on for longer than the first part.
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
	if onlyComments := comments > 0 && known+others == 0; onlyComments && !whole {
		return format.Plausible // Read says what follows them
	}
	return format.No
}

// vertexLike reports whether three numbers follow, or words that would be such but for their
// commas: then the reader says so.
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

// faceLike reports whether three corners follow.
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
				f.Digits() // may be missing: v//vn
			}
		}
	}
	return true
}
