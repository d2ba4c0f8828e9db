package threemf

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// filamentParts are the parts of the archive in which slicers store the colours of filaments. In objectParts they store
// which filament prints which object.
var (
	filamentParts = []string{"Metadata/project_settings.config", "Metadata/Slic3r_PE.config"}
	objectParts   = []string{"Metadata/model_settings.config", "Metadata/Slic3r_PE_model.config"}
)

// maxSettings is how many bytes are read of a part with settings. It is ten times the size of the largest parts that
// programs write.
const maxSettings = 1 << 20

// maxFilaments is the greatest number of filaments. Printers have at most a few dozen.
const maxFilaments = 1 << 10

// slicerLine matches a line with colours in the settings of PrusaSlicer. The settings are an INI file, and the line may
// be commented out.
var slicerLine = regexp.MustCompile(`(?m)^;?\s*(extruder_colour|filament_colour)\s*=\s*(.*)$`)

// readSettings returns the first maxSettings bytes of the first of the given parts that can be read. It returns nil if
// none can be read.
func (r *reader) readSettings(parts []string) []byte {
	for _, name := range parts {
		if _, ok := r.files[fileName(name)]; !ok {
			continue
		}
		f, err := r.openPart(name)
		if err != nil {
			continue // only colours are lost, so this is no error
		}
		data, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // of a damaged part, the bytes before the damage are used
		f.Close()
		return data
	}
	return nil
}

// filaments returns the colours of the filaments, which are numbered from 1. It reads the settings only once.
func (r *reader) filaments() []scenes.RGBA {
	if r.filamentsKnown {
		return r.filamentColors
	}
	r.filamentsKnown = true
	data := r.readSettings(filamentParts)
	for _, word := range filamentWords(data) {
		c, ok := hexColor(word)
		if !ok || len(r.filamentColors) == maxFilaments {
			break // skipping one colour would renumber the others
		}
		r.filamentColors = append(r.filamentColors, c)
	}
	return r.filamentColors
}

// filamentWords returns the words for the colours of the filaments in the settings data, which is JSON or an INI file.
func filamentWords(data []byte) []string {
	var known struct {
		Colour json.RawMessage `json:"filament_colour"`
		Color  json.RawMessage `json:"filament_color"`
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		if json.Unmarshal(data, &known) != nil {
			return nil
		}
		for _, raw := range []json.RawMessage{known.Colour, known.Color} {
			var list []string
			var one string
			if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
				return list
			}
			if json.Unmarshal(raw, &one) == nil && one != "" {
				return strings.Split(one, ";")
			}
		}
		return nil
	}
	found := map[string]string{}
	for _, m := range slicerLine.FindAllSubmatch(data, -1) {
		found[string(m[1])] = strings.TrimSpace(string(m[2]))
	}
	for _, key := range []string{"extruder_colour", "filament_colour"} {
		if words := strings.Split(found[key], ";"); strings.Contains(found[key], "#") {
			return words
		}
	}
	return nil
}

// hexColor parses #RRGGBB or #RRGGBBAA, and ignores the alpha.
func hexColor(s string) (scenes.RGBA, bool) {
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if len(s) != 7 && len(s) != 9 || s[0] != '#' {
		return scenes.RGBA{}, false
	}
	v, err := strconv.ParseUint(s[1:7], 16, 32)
	return scenes.Opaque(uint32(v)), err == nil
}

// A printedKey identifies an object in the settings or, if part is not 0, a part of the object.
type printedKey struct{ object, part uint32 }

// extruders returns the number of the filament for each object and part in the settings. It reads the settings only
// once.
func (r *reader) extruders() map[printedKey]uint32 {
	if r.extrudersOf != nil {
		return r.extrudersOf
	}
	r.extrudersOf = make(map[printedKey]uint32)
	s := new(scanner)
	s.reset(text.AsUTF8(bytes.NewReader(r.readSettings(objectParts))))
	var at printedKey
	for {
		ok, err := s.next()
		if !ok || err != nil || len(r.extrudersOf) > maxVisits {
			return r.extrudersOf
		}
		switch name := string(s.name); {
		case s.closing && (name == "object" || name == "part"):
			at.part = 0
		case s.closing:
		case name == "object":
			at.object, _ = parseIndex(s.get("id"))
			at.part = 0
		case name == "part":
			at.part, _ = parseIndex(s.get("id"))
		case name == "metadata" && string(bytes.TrimSpace(s.get("key"))) == "extruder" && string(bytes.TrimSpace(s.get("type"))) != "volume":
			if n, ok := parseIndex(s.get("value")); ok && n > 0 && n <= maxFilaments {
				r.extrudersOf[at] = n
			}
		}
	}
}

// setFilament sets the filament of a placement of object o. The settings may name a filament for the item of the build,
// or for o as a part of that item. If they name none, the filament is not changed.
func (r *reader) setFilament(at *placement, o *object) {
	if len(r.filaments()) == 0 {
		return
	}
	key := printedKey{at.object, o.id}
	if at.object == 0 {
		at.object, key = o.id, printedKey{object: o.id}
	}
	if n, ok := r.extruders()[key]; ok && n <= uint32(len(r.filaments())) {
		at.filament = n
	}
}

// addFilaments appends the colours of the filaments to the palette if they are used. Painted triangles use them, and so
// does a whole model without other colours.
func (r *reader) addFilaments() {
	colors := r.filaments()
	r.allFilaments = len(colors) > 0 && len(r.materials) == 0 && len(r.palette) == 1
	painted := r.allFilaments
	for _, m := range r.models {
		for _, o := range m.allObjects() {
			painted = painted || len(o.filament) > 0
		}
	}
	if painted {
		r.firstFilament = uint32(len(r.palette))
		r.palette = append(r.palette, colors...)
	}
}

// allObjects returns the objects of a model. A nil model, which stands for one that cannot be read, has no objects.
func (m *model) allObjects() []*object {
	if m == nil {
		return nil
	}
	return m.order
}

// fillColors writes the colours of the corners of triangles lo to hi (exclusive) of object o, which is printed with a
// filament.
func (r *reader) fillColors(o *object, filament uint32, lo, hi int, to [][3]uint32) {
	copyPadded(o.color, lo, hi, to, [3]uint32{})
	if r.firstFilament == 0 {
		return
	}
	for i := range to {
		n := uint32(0)
		if lo+i < len(o.filament) {
			n = o.filament[lo+i]
		}
		if (n == 0 || n > uint32(len(r.filamentColors))) && r.allFilaments {
			n = filament
		}
		if n > 0 && n <= uint32(len(r.filamentColors)) {
			c := r.firstFilament + n - 1
			to[i] = [3]uint32{c, c, c}
		}
	}
}
