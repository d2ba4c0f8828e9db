package vtk

import (
	"bytes"
	"strings"
)

// readScalars reads a section SCALARS. Before the data are the number of components, which may be missing, and the name
// of a table. Like VTK, scalars accepts these words on any lines. VTK refuses a section without a table, or with other
// words before it. In such a section, scalars takes the data to begin on the next line.
func (l *legacy) readScalars(words []string) error {
	next := l.pos
	components, hasTable, err := l.readTable(words)
	if !hasTable {
		l.pos, components, err = next, 1, nil
		if len(words) > scalarWords {
			components, err = parseCount(words, scalarWords)
		}
		if line := l.nextLine(); len(line) == 0 || !strings.EqualFold(line[0], "LOOKUP_TABLE") {
			l.pos = next
		}
	}
	if err != nil {
		return err
	}
	return l.readArray(wordAt(words, 1), components, wordAt(words, 2), false)
}

// readTable reads the words of a section SCALARS from the word after the type to the name of the table. `words` holds
// the words of the section's first line.
func (l *legacy) readTable(words []string) (components int, hasTable bool, err error) {
	l.pos = l.start
	for range min(len(words), scalarWords) {
		l.nextWord()
	}
	components = 1
	next := l.nextWord()
	if !strings.EqualFold(next, "LOOKUP_TABLE") {
		components, err = parseCount([]string{next}, 0)
		next = l.nextWord()
	}
	l.nextWord() // skips the name of the table
	if l.binary {
		l.pos += 1 + bytes.IndexByte(l.data[l.pos:], '\n')
	}
	return components, strings.EqualFold(next, "LOOKUP_TABLE"), err
}
