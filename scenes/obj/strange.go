package obj

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// An unknownWord is a word that starts lines and is not a keyword of the format. A file may have as many such lines as
// vertices. So these lines are counted, and reported at the end of the file.
type unknownWord struct {
	word  string
	line  int // number of the first line with this word
	lines int
}

// maxUnknownWords is how many unknown words are counted separately. A report lists at most this many warnings of one
// kind. All further words are counted together.
const maxUnknownWords = 3

// countUnknown counts a line that starts with an unknown word. It returns an error if the read is strict.
func (r *reader) countUnknown(word []byte) error {
	if r.in == nil || r.in.Options.Strict {
		return r.Warn.Add(r.place(), "unexpected %s", text.Short(word))
	}
	for i := range r.strange {
		if s := &r.strange[i]; i == maxUnknownWords || s.word == string(word) {
			s.lines++
			return nil
		}
	}
	r.strange = append(r.strange, unknownWord{string(word[:min(len(word), text.MaxName)]), r.lines.Line(), 1})
	return nil
}

// warnUnknown adds a warning about each unknown word.
func (r *reader) warnUnknown() error {
	for i, s := range r.strange {
		more := ""
		switch {
		case s.lines == 1:
		case s.lines == 2:
			more = ", and on another line"
		case i == maxUnknownWords:
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
