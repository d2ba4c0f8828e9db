package scenes

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// MaxWarnings bounds what a file that is damaged all over can make a report
// hold: about a screenful.
const MaxWarnings = 20

// Warnings collects the damage of one input.
type Warnings struct {
	in    *Input
	lines []string
	more  int   // damage that was not listed any more
	first error // the first damage
}

// Warnings returns a collection without damage.
func (in *Input) Warnings() *Warnings { return &Warnings{in: in} }

// Add notes damage, or returns it as an error if the reader is strict.
func (w *Warnings) Add(place string, format string, args ...any) error {
	err := w.in.Damage(place, format, args...)
	if w.in.Options.Strict {
		return err
	}
	if w.first == nil {
		w.first = err
	}
	if len(w.lines) < MaxWarnings {
		w.lines = append(w.lines, err.Error())
	} else {
		w.more++
	}
	return nil
}

// First returns the first damage, since Pass if that was called; nil if there is none.
func (w *Warnings) First() error { return w.first }

// Pass makes First pass over the damage so far: a mesh without triangles has lost them by
// something else.
func (w *Warnings) Pass() { w.first = nil }

// Lines returns what Report.Warnings holds.
func (w *Warnings) Lines() []string {
	if w.more > 0 {
		return append(w.lines, fmt.Sprintf("%s: %d further warnings are not listed", text.OneLine(w.in.Options.Name), w.more))
	}
	return w.lines
}

// NotFinite notes triangles that are not finite in single precision: bad is their
// number, large the number of those that are finite in double precision, place
// the place of the first.
func (w *Warnings) NotFinite(place string, bad, large int) error {
	what := "a NaN or infinite coordinate"
	switch {
	case bad == 0:
		return nil
	case large == bad:
		what = "a coordinate out of range of single precision"
	case large > 0:
		what = "a coordinate that is NaN, infinite or out of range of single precision"
	}
	if bad == 1 {
		return w.Add(place, "the triangle has %s", what)
	}
	return w.Add(place, "this and %d more triangles have %s", bad-1, what)
}
