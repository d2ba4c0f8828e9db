package text

import (
	"fmt"
	"strings"
)

// A Count is a number of things of one kind, and the name of the kind.
type Count struct {
	N         int
	One, More string // singular and plural of the name
}

// Counts returns a list, in words, of the counts that are not zero, followed by "is" or "are". An example is "2
// vertices and 1 line are".
func Counts(all ...Count) string {
	var words []string
	sum := 0
	for _, c := range all {
		sum += c.N
		switch c.N {
		case 0:
		case 1:
			words = append(words, "1 "+c.One)
		default:
			words = append(words, fmt.Sprintf("%d %s", c.N, c.More))
		}
	}
	verb := " are"
	if sum == 1 {
		verb = " is"
	}
	if n := len(words); n > 1 {
		words = append(words[:n-2], words[n-2]+" and "+words[n-1])
	}
	return strings.Join(words, ", ") + verb
}
