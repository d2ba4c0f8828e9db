package threemf

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"lockstep/scenes/internal/text"
)

// What a model has that is not drawn: it is named, so that nobody takes the picture for the whole of it.

// settings is the part in which slicers keep the colours of filaments.
const settings = "Metadata/project_settings.config"

// maxSettings is how much of the settings is looked at: those of programs have a tenth of it.
const maxSettings = 1 << 20

// filaments matches the colours of filaments in the settings.
var filaments = regexp.MustCompile(`"filament_colou?r"\s*:\s*\[?\s*"#`)

// undrawn warns once of painted colours: those of triangles, and those of filaments where a model has no
// materials or colours of its own.
func (r *reader) undrawn() error {
	switch {
	case r.painted > 0:
		return r.warn.Add("its triangles", "painted colours are not drawn: %s painted with filaments", text.Counts(text.Count{N: r.painted, One: "triangle", More: "triangles"}))
	case len(r.materials) == 0 && len(r.palette) == 1 && r.hasFilaments():
		return r.warn.Add(settings, "colours of filaments are not drawn")
	}
	return nil
}

// hasFilaments reports whether the settings of a slicer have colours.
func (r *reader) hasFilaments() bool {
	if _, ok := r.files[fileName(settings)]; !ok {
		return false
	}
	f, err := r.open(settings)
	if err != nil {
		return false // nothing is missed but a warning
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // as far as it can be read
	return filaments.Match(data)
}

// none says why what is built has no triangles.
func (r *reader) none() string {
	if r.beams > 0 {
		return fmt.Sprintf(": %s not drawn, which are of the extension %s", text.Counts(text.Count{N: r.beams, One: "beam of a lattice", More: "beams of lattices"}), text.Name(r.beamsOf))
	}
	return ": what it builds has none, and beams and slices are not drawn"
}

// vocabulary returns the declared name that has a part; the part itself if none has.
func vocabulary(declared []string, part string) string {
	for _, name := range declared {
		if strings.Contains(name, part) {
			return name
		}
	}
	return strings.Trim(part, "/")
}
