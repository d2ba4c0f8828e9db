package stl

import (
	"fmt"

	"lockstep/scenes/format"
)

const countPlace = "byte 80"

// warnShort adds a warning that the header claims more triangles than the file has. For a file without triangles, it
// returns an error.
func warnShort(in *format.Input, w *format.Warnings, claimed, have int64, rest int) error {
	if have == 0 {
		return in.Damage(countPlace, "the header claims %d triangles, but there is not one whole", claimed)
	}
	if rest > 0 {
		return w.Add(fmt.Sprintf("byte %d", sizeOf(have)),
			"the file ends within triangle %d of %d", have, claimed)
	}
	return w.Add(countPlace, "the header claims %d triangles, the file holds %d", claimed, have)
}

// warnLong adds a warning that the header claims fewer triangles than the file has.
func warnLong(in *format.Input, w *format.Warnings, claimed, have int64, rest int) error {
	err := w.Add(countPlace, "the header claims %d triangles, the file holds %d", claimed, have)
	if err == nil && rest > 0 {
		err = warnTrailing(in, w, have, int64(rest), true)
	}
	return err
}

// warnTrailing adds a warning about extra bytes after the last triangle. If `all` is set, `extra` counts all extra
// bytes. Otherwise it counts the extra bytes read so far.
func warnTrailing(in *format.Input, w *format.Warnings, have, extra int64, all bool) error {
	place := fmt.Sprintf("byte %d", sizeOf(have))
	if have == 0 {
		return in.Damage(place, "the header claims no triangles, and the bytes after it are not triangles")
	}
	if !all {
		return w.Add(place, "what follows the last triangle is ignored")
	}
	return w.Add(place, "%d bytes after the last triangle are ignored", extra)
}
