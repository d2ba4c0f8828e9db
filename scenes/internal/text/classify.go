package text

import "bytes"

var utf8BOM = []byte("\xef\xbb\xbf")

// TrimBOM returns p without the byte-order mark of UTF-8.
func TrimBOM(p []byte) []byte { return bytes.TrimPrefix(p, utf8BOM) }

// IsSpace counts every control character as white space.
func IsSpace(c byte) bool { return c <= ' ' }

// SkipSpace returns the first index from p on that is not white space, which
// must follow within b.
func SkipSpace(b []byte, p int) int {
	for IsSpace(b[p]) {
		p++
	}
	return p
}

// IsText reports whether the start of p has no byte that text does not have.
func IsText(p []byte) bool {
	for _, c := range p[:min(len(p), 1024)] {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b {
			return false
		}
	}
	return true
}

// HasWord reports whether word, in any case, stands in p after white space
// and before white space or the end.
func HasWord(p []byte, word string) bool {
	lower := bytes.ToLower(p)
	for {
		at := bytes.Index(lower, []byte(word))
		if at < 0 {
			return false
		}
		end := at + len(word)
		if at > 0 && IsSpace(lower[at-1]) && (end == len(lower) || IsSpace(lower[end])) {
			return true
		}
		lower = lower[end:]
	}
}
