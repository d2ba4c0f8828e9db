package obj

import "lockstep/scenes/internal/text"

// paintMark starts the comments in which ZBrush writes colours of vertices, in the order of the vertices. Each colour
// has eight hexadecimal digits: mask, red, green and blue.
const paintMark = "#MRGB"

// readPaint stores the colours of one comment. Such comments may be anywhere in the file, because applyPaint uses the
// colours only at the end.
func (r *reader) readPaint(f *text.Fields) error {
	if err := r.in.Allow(0, r.Held()+8*int64(len(r.paints))); err != nil {
		return err
	}
	for rest := f.Rest(); len(rest) >= 8; rest = rest[8:] {
		rgb, ok := parseHex(rest[2:8])
		if !ok {
			return nil // an ordinary comment
		}
		r.paints = append(r.paints, rgb)
	}
	return nil
}

func parseHex(digits []byte) (v uint32, ok bool) {
	for _, c := range digits {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint32(c)
	}
	return v, true
}

// applyPaint gives the vertices the colours from comments, unless they have colours already.
func (r *reader) applyPaint() error {
	if r.colored || len(r.paints) == 0 {
		return nil
	}
	return r.PaintPoints(r.paints)
}
