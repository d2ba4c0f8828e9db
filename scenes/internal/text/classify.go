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

// IsText reports whether the start of p has no byte that text does not have. Behind the last
// line there may be the mark of DOS for the end of a file, or zeros, as an interrupted write
// leaves them.
func IsText(p []byte) bool {
	p = p[:min(len(p), 1024)]
	if whole := bytes.TrimRight(p, "\x00\x1a"); len(whole) > 0 && whole[len(whole)-1] <= '\r' {
		p = whole
	}
	for _, c := range p {
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
