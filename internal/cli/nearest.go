package cli

import "strings"

// Nearest returns the name that is most similar to a misspelt name. If several names are equally similar, it returns
// the first of them. If no name is similar, it returns "".
func Nearest(name string, among []string) (near string) {
	if len(name) < 2 {
		return ""
	}
	least := 2 // at most one typing error in a short name
	if len(name) > 4 {
		least = 3
	}
	for _, candidate := range among {
		d := Distance(name, candidate)
		if len(name) > 2 && d > 1 && strings.HasPrefix(candidate, name) {
			d = 1 // an abbreviation counts as one typing error
		}
		if d < least && d < len(candidate) {
			near, least = candidate, d
		}
	}
	return near
}

// Distance returns how many steps change one word into the other (optimal string alignment distance). A step inserts,
// deletes or replaces a letter, or exchanges two neighbouring letters.
func Distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
