package text

import "bytes"

// Commas returns what to add to the message about a word that is no number, or no list of numbers
// that this format has, where its commas are the likely cause; else nothing.
func Commas[T string | []byte](word T) string {
	w := []byte(word)
	at := bytes.IndexByte(w, ',')
	switch {
	case at < 0 || len(bytes.Trim(w, "0123456789+-.eE,/")) > 0:
		return "" // another kind of word, such as a name
	case at > 0 && at+1 < len(w) && bytes.Count(w, []byte{','}) == 1:
		return "; numbers take a point, not a comma"
	}
	return "; spaces part numbers, not commas"
}
