package obj

import (
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// readFast reads lines of the usual form in a part: vertices of three numbers, normals, texture coordinates of two
// numbers, and faces of three or four corners without negative numbers. It stops before any other line.
func (r *reader) readFast() {
	b := r.lines.Rest()
	if b == nil {
		return
	}
	at, lines := 0, 0
	for {
		next, ok := at, false
		switch {
		case b[at] == 'v' && b[at+1] == ' ':
			next, ok = r.readUsualVertex(b, at+2)
		case b[at] == 'f' && b[at+1] == ' ':
			next, ok = r.readUsualFace(b, at+2)
		case b[at] == 'v' && b[at+1] == 'n' && b[at+2] == ' ':
			next, ok = r.readUsualNormal(b, at+3)
		case b[at] == 'v' && b[at+1] == 't' && b[at+2] == ' ':
			next, ok = r.readUsualTexCoord(b, at+3)
		}
		if !ok {
			r.lines.Take(lines, at)
			return
		}
		at = next
		lines++
	}
}

func (r *reader) readUsualVertex(b []byte, at int) (next int, ok bool) {
	var v [3]float64
	if next, ok = text.Floats(b, at, v[:]); ok {
		ok = r.AddPoint(v) == nil
	}
	return next, ok
}

func (r *reader) readUsualNormal(b []byte, at int) (next int, ok bool) {
	var v [3]float64
	if next, ok = text.Floats(b, at, v[:]); ok {
		ok = r.AddNormal(v) == nil
	}
	return next, ok
}

func (r *reader) readUsualTexCoord(b []byte, at int) (next int, ok bool) {
	var v [2]float64
	if next, ok = text.Floats(b, at, v[:]); ok {
		ok = r.AddTexCoord([2]float64{v[0], 1 - v[1]}) == nil
	}
	return next, ok
}

// quickCorners is the greatest number of corners of a face for readUsualFace.
const quickCorners = 4

// readUsualFace reads a face into r.refs. ok is false if only some of its corners have a normal, or only some have
// texture coordinates.
func (r *reader) readUsualFace(b []byte, at int) (next int, ok bool) {
	refs, n := &r.refs, 0
	*refs = [3][quickCorners]int64{}
	for ; ; n++ {
		for b[at] == ' ' || b[at] == '\t' {
			at++
		}
		if b[at] <= ' ' {
			break
		}
		if n == quickCorners {
			return at, false
		}
		if at, ok = parseCorner(b, at, refs, n); !ok {
			return at, false
		}
	}
	if next, ok = text.LineEnd(b, at); !ok || n < 3 {
		return at, false
	}
	for i := 1; i < 3; i++ {
		for k := 1; k < n; k++ {
			if (refs[i][k] == 0) != (refs[i][0] == 0) {
				return at, false
			}
		}
	}
	return next, r.addFace(n)
}

// parseCorner parses corner n, which has the form v, v/vt, v//vn or v/vt/vn. ok is false if a number is 0.
func parseCorner(b []byte, at int, refs *[3][quickCorners]int64, n int) (next int, ok bool) {
	for i := 0; ; i++ {
		if i == 1 && b[at] == '/' {
			i, at = 2, at+1
		}
		if refs[i][n], at, ok = text.Digits(b, at); !ok || refs[i][n] == 0 {
			return at, false
		}
		if b[at] != '/' || i == 2 {
			return at, text.IsSpace(b[at])
		}
		at++
	}
}

// addFace adds the face in r.refs, which has n corners. If it returns false, the caller must read the line by
// readStatement.
func (r *reader) addFace(n int) bool {
	refs, detailed := &r.refs, r.WantsAttributes()
	points := &refs[0]
	if n == 3 && (!detailed || refs[1][0] == 0 && refs[2][0] == 0) {
		return r.AddTriangle(points[0]-1, points[1]-1, points[2]-1)
	}
	for i := range refs {
		for k := range n {
			refs[i][k]--
		}
	}
	poly := indexed.Polygon{Corners: points[:n], Color: indexed.NoColor, Place: r.polygon.Place}
	if detailed && refs[1][0] >= 0 {
		poly.TexCoords = refs[1][:n]
	}
	if detailed && refs[2][0] >= 0 {
		poly.Normals = refs[2][:n]
	}
	return r.AddPolygon(poly) == nil
}
