package format

import (
	"fmt"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// MaxWarnings limits the number of warnings in a report. So a file that is damaged everywhere causes about a
// screenful. MaxAlike limits the number of warnings of one kind, because more warnings of that kind say nothing new.
const (
	MaxWarnings = 20
	MaxAlike    = 3
)

// Warnings collects the damage of one input.
type Warnings struct {
	in       *Input
	lines    []warning
	kinds    map[string]int        // for each kind that is listed, its number of warnings
	plain    map[messageKey]string // kind of a message by its key, so that similar messages need not be formatted
	unlisted int                   // number of warnings whose kind is not listed
	first    error                 // the first damage
}

// A warning is a line of the report and its kind.
type warning struct{ text, kind string }

// Warnings returns an empty collection of warnings.
func (in *Input) Warnings() *Warnings {
	return &Warnings{in: in, kinds: make(map[string]int), plain: make(map[messageKey]string)}
}

// A messageKey is the same for messages that differ only in numbers. It holds the first word of the place, the format,
// and the string arguments. A file may be damaged on every line, but Add lists only a few messages of a kind. By their
// keys, Add recognises further messages of the kind and does not format them.
type messageKey struct{ place, format, words string }

// maxPlain limits the number of keys. maxPlainWords limits the length of the string arguments of a key.
const (
	maxPlain      = 4096
	maxPlainWords = 128
)

// messageKeyOf returns the key of a message. ok is false if messages with the same key may differ in more than numbers.
func messageKeyOf(place, format string, args []any) (p messageKey, ok bool) {
	words := ""
	for _, a := range args {
		switch a := a.(type) {
		case int, int32, int64, uint8, uint16, uint32:
		case string:
			if words == "" {
				words = a
			} else if a != "" {
				words += "\x00" + a
			}
		default:
			return p, false
		}
	}
	word, number, _ := strings.Cut(place, " ")
	for i := range len(number) {
		if number[i] < '0' || number[i] > '9' {
			return p, false
		}
	}
	return messageKey{word, format, words}, number != "" && len(words) <= maxPlainWords && !strings.ContainsAny(word, `0123456789."`)
}

// Add records damage at a place, or returns it as an error if the read is strict. Warnings are of the same kind if they
// differ only in numbers and names.
func (w *Warnings) Add(place string, format string, args ...any) error {
	p, isPlain := messageKeyOf(place, format, args)
	if kind, ok := w.plain[p]; ok && isPlain && w.kinds[kind] >= MaxAlike {
		w.kinds[kind]++
		return nil
	}
	err := w.in.Damage(place, format, args...)
	if w.in.Options.Strict {
		return err
	}
	if w.first == nil {
		w.first = err
	}
	damage := err.(*scenes.DamageError)
	kind := text.Kind(damage.Place + ": " + damage.Err.Error())
	switch n, listed := w.kinds[kind]; {
	case !listed && len(w.lines) == MaxWarnings:
		w.unlisted++
		return nil
	case n < MaxAlike && len(w.lines) < MaxWarnings:
		w.lines = append(w.lines, warning{err.Error(), kind})
	}
	w.kinds[kind]++
	if isPlain && len(w.plain) < maxPlain {
		w.plain[p] = kind
	}
	return nil
}

// First returns the first damage, or nil if there is none.
func (w *Warnings) First() error { return w.first }

// Lines returns the lines for scenes.Report.Warnings. If some warnings of a kind are not listed, a line with their
// number follows the last listed warning of this kind.
func (w *Warnings) Lines() []string {
	name := text.OneLine(w.in.Options.Name)
	listed := make(map[string]int, len(w.kinds))
	last := make(map[string]int, len(w.kinds))
	for i, one := range w.lines {
		listed[one.kind]++
		last[one.kind] = i
	}
	var lines []string
	for i, one := range w.lines {
		lines = append(lines, one.text)
		if more := w.kinds[one.kind] - listed[one.kind]; more > 0 && last[one.kind] == i {
			lines = append(lines, fmt.Sprintf("%s: %d more like this one", name, more))
		}
	}
	if w.unlisted > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d further warnings are not listed", name, w.unlisted))
	}
	return lines
}

// NotFinite records triangles with a coordinate that is not finite in single precision. `bad` is the number of these
// triangles. `large` is how many of them are finite in double precision. `place` is the position of the first bad
// triangle.
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
