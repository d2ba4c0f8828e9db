package off

import "lockstep/scenes/internal/text"

// A headerEnd is where the header ends and the rows begin.
type headerEnd struct {
	left  int // bytes of the prefix behind the last line of the header
	lines int // of the header
	// behind is how many bytes of the prefix follow the last number of the header. Where words
	// stand there before the end of the line, inline says so.
	behind int
	inline bool
}

// header reads the word and the numbers that a file begins with: of vertices, of faces and, if there
// is one, of edges, on one line or on several.
func (r *reader) header() (end headerEnd, err error) {
	f, ok, err := r.line()
	if err != nil || !ok {
		return end, err
	}
	word, digits := firstLayout(f.Word())
	r.layout, _ = parseLayout(word)
	f.Back(digits)
	if f.More() && string(peek(f)) == "BINARY" {
		r.binary = true
		return end, nil
	}
	for i, name := range []string{"vertices", "faces"} {
		if !f.More() {
			if f, ok, err = r.line(); err != nil {
				return end, err
			}
			if !ok {
				return end, r.in.Damage(r.place(), "the file ends before the number of %s", name)
			}
		}
		if r.counts[i], ok = f.Int(); !ok || r.counts[i] < 0 {
			return end, r.in.Damage(r.place(), "number of %s %s", name, text.Short(f.Word()))
		}
	}
	if f.More() {
		f.Int() // edges
	} else if r.next().numbers == 1 {
		// Edges on a line of their own: no row is a single number, but where all numbers are.
		if f, _, err = r.line(); err != nil {
			return end, err
		}
		f.Int()
	}
	end = headerEnd{left: r.lines.Left(), lines: r.lines.Line(), behind: r.left - f.Taken()}
	// One word more is none of a row, but what some programs write behind the edges.
	for n := 0; f.More() && !end.inline; n++ {
		f.Word()
		end.inline = n > 0
	}
	return end, nil
}
