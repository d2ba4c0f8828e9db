package off

import "lockstep/scenes/internal/text"

// A headerEnd is the place where the header ends and the rows of vertices start.
type headerEnd struct {
	left  int // bytes of the prefix after the header's last line
	lines int // number of lines of the header
	// behind is the number of bytes of the prefix after the header's last number. inline means that the first row of
	// vertices starts on the line of that number.
	behind int
	inline bool
}

// readHeader reads the first word of a file and the numbers of vertices and faces, and skips the number of edges if
// there is one. The numbers may be on one line or on several.
func (r *reader) readHeader() (end headerEnd, err error) {
	f, ok, err := r.nextLine()
	if err != nil || !ok {
		return end, err
	}
	word, digits := splitFirstWord(f.Word())
	r.layout, _ = parseLayout(word)
	f.Back(digits)
	if f.More() && string(peek(f)) == "BINARY" {
		r.binary = true
		return end, nil
	}
	for i, name := range []string{"vertices", "faces"} {
		if !f.More() {
			if f, ok, err = r.nextLine(); err != nil {
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
		f.Int() // skips the number of edges
	} else if r.nextShape().numbers == 1 {
		// The number of edges may have a line of its own. A line with a single number is not a row of a vertex or
		// face, except in a file where every number has its own line.
		if f, _, err = r.nextLine(); err != nil {
			return end, err
		}
		f.Int()
	}
	end = headerEnd{left: r.lines.Left(), lines: r.lines.Line(), behind: r.left - f.Taken()}
	// Some programs write one word after the number of edges. So the rows of vertices start on this line only if at
	// least two words follow.
	for n := 0; f.More() && !end.inline; n++ {
		f.Word()
		end.inline = n > 0
	}
	return end, nil
}
