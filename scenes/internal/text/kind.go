package text

import "strings"

// mostKind is roughly the maximum length, in bytes, of a key that Kind returns.
const mostKind = 160

// Kind returns a key that is equal for messages of the same kind. It is the message without quoted text, and with "#"
// in place of each word that contains a digit or a point. Such words are numbers or names.
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

// endOfQuotes returns the index after the quoted text that starts at i.
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
