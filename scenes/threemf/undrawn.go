package threemf

import "lockstep/scenes/internal/text"

// What a model has that is not drawn: it is named, so that nobody takes the picture for the whole of it.

// undrawn warns once of painted triangles where no filament has a colour.
func (r *reader) undrawn() error {
	if r.painted == 0 {
		return nil
	}
	return r.warn.Add("its triangles", "painted colours are not drawn: %s painted with filaments that have no colour", text.Counts(text.Count{N: r.painted, One: "triangle", More: "triangles"}))
}

// none says why what is built has no triangles.
func (r *reader) none() string { return ": what it builds has none, and slices are not drawn" }
