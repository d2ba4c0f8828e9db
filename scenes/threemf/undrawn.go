package threemf

import "lockstep/scenes/internal/text"

// Parts of a model that are not drawn cause a warning. Otherwise a user might take the picture for complete.

// warnUndrawn adds one warning for all painted triangles if the filaments have no colours.
func (r *reader) warnUndrawn() error {
	if r.painted == 0 {
		return nil
	}
	return r.warn.Add("its triangles", "painted colours are not drawn: %s painted with filaments that have no colour", text.Counts(text.Count{N: r.painted, One: "triangle", More: "triangles"}))
}

// emptyReason returns the reason why a model has no triangles.
func (r *reader) emptyReason() string { return ": what it builds has none, and slices are not drawn" }
