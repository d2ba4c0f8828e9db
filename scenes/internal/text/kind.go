package text

import "strings"

// mostKind is how much of a message tells its kind.
const mostKind = 160

// Kind returns what messages of the same kind have in common: their words without what stands in quotes
// and without numbers. A word with a digit or a point within it is a number or a name.
func Kind(message string) string {
	var b strings.Builder
	for i := 0; i < len(message) && b.Len() < mostKind; {
		switch c := message[i]; {
		case c == '"':
			i = endOfQuotes(message, i)
			b.WriteByte('"')
		case c == ' ':
			b.WriteByte(c)
			i++
		default:
			end := i
			for end < len(message) && message[end] != ' ' && message[end] != '"' {
				end++
			}
			if word := strings.TrimRight(message[i:end], ".,:;"); strings.ContainsAny(word, "0123456789.") {
				b.WriteByte('#')
				b.WriteString(message[i+len(word) : end])
			} else {
				b.WriteString(message[i:end])
			}
			i = end
		}
	}
	return b.String()
}

// endOfQuotes returns the index behind the quotes that begin at i.
func endOfQuotes(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
