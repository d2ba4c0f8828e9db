package obj

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// A strangeWord is one that begins lines and is not of the format. Such lines are counted, and
// noted at the end: a file may have as many of them as it has vertices.
type strangeWord struct {
	word  string
	line  int // the first
	lines int
}

// maxStrange bounds the words that are counted one by one, as other warnings of one kind are listed three
// times. All others are counted as one.
const maxStrange = 3

// unknown counts a line that begins with an unknown word, or returns it as an error if the reader is
// strict.
func (r *reader) unknown(word []byte) error {
	if r.in == nil || r.in.Options.Strict {
		return r.Warn.Add(r.place(), "unexpected %s", text.Short(word))
	}
	for i := range r.strange {
		if s := &r.strange[i]; i == maxStrange || s.word == string(word) {
			s.lines++
			return nil
		}
	}
	r.strange = append(r.strange, strangeWord{string(word[:min(len(word), text.MaxName)]), r.lines.Line(), 1})
	return nil
}

// noteUnknown notes the unknown words.
func (r *reader) noteUnknown() error {
	for i, s := range r.strange {
		more := ""
		switch {
		case s.lines == 1:
		case s.lines == 2:
			more = ", and on another line"
		case i == maxStrange:
			more = fmt.Sprintf(", and %d more lines begin with this or other unknown words", s.lines-1)
		default:
			more = fmt.Sprintf(", and on %d more lines", s.lines-1)
		}
		if err := r.Warn.Add(fmt.Sprintf("line %d", s.line), "unexpected %s%s", text.Short(s.word), more); err != nil {
			return err
		}
	}
	return nil
}
