package text

import "bytes"

// CommaHint returns a hint for the message about a word that is not a valid number or list of numbers. It returns ""
// unless commas or semicolons are the likely cause.
func CommaHint[T string | []byte](word T) string {
	w := []byte(word)
	at := bytes.IndexAny(w, ",;")
	switch {
	case at < 0 || len(bytes.Trim(w, "0123456789+-.eE,;/")) > 0:
		return "" // a name, for example, not an attempt at numbers
	case bytes.IndexByte(w, ';') >= 0:
		return "; spaces part numbers, not semicolons"
	case at > 0 && at+1 < len(w) && bytes.Count(w, []byte{','}) == 1:
		return "; numbers take a point, not a comma"
	}
	return "; spaces part numbers, not commas"
}
