package text

import "strconv"

// AppendCoord appends v plus the origin to b. It writes the fewest digits from which a reader gets the same number.
func AppendCoord(b []byte, v float32, origin float64) []byte {
	if origin == 0 {
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	return strconv.AppendFloat(b, float64(v)+origin, 'g', -1, 64)
}

// AppendPoint appends three coordinates, each after a space.
func AppendPoint(b []byte, p [3]float32, origin [3]float64) []byte {
	for c := range p {
		b = AppendCoord(append(b, ' '), p[c], origin[c])
	}
	return b
}

// AppendLine appends words, which may contain any character. Control characters become spaces, because they might end
// the line.
func AppendLine(b []byte, words string) []byte {
	for i := range len(words) {
		c := words[i]
		if c < ' ' {
			c = ' '
		}
		b = append(b, c)
	}
	return b
}
