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

// The parts in which slicers keep the colours of filaments, and which objects are printed with which.
var (
	filamentParts = []string{"Metadata/project_settings.config", "Metadata/Slic3r_PE.config"}
	objectParts   = []string{"Metadata/model_settings.config", "Metadata/Slic3r_PE_model.config"}
)

// maxSettings is how much of such a part is looked at: those of programs have a tenth of it.
const maxSettings = 1 << 20

// maxFilaments bounds the colours: printers have at most some dozens.
const maxFilaments = 1 << 10

// slicerLine matches the colours in the settings of PrusaSlicer, which are comments of an INI file.
var slicerLine = regexp.MustCompile(`(?m)^;?\s*(extruder_colour|filament_colour)\s*=\s*(.*)$`)

// settings returns the start of the first part that is there; nil if none is, or it cannot be read.
func (r *reader) settings(parts []string) []byte {
	for _, name := range parts {
		if _, ok := r.files[fileName(name)]; !ok {
			continue
		}
		f, err := r.open(name)
		if err != nil {
			continue // nothing is missed but a colour
		}
		data, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // as far as it can be read
		f.Close()
		return data
	}
	return nil
}

// filaments returns the colours of filaments, the first of which has number 1. They are looked for once.
func (r *reader) filaments() []scenes.RGBA {
	if r.filamentsKnown {
		return r.filamentColors
	}
	r.filamentsKnown = true
	data := r.settings(filamentParts)
	for _, word := range filamentWords(data) {
		c, ok := hexColor(word)
		if !ok || len(r.filamentColors) == maxFilaments {
			break // those behind it would have other numbers
		}
		r.filamentColors = append(r.filamentColors, c)
	}
	return r.filamentColors
}

// filamentWords returns the colours of filaments as settings write them: JSON, or lines of an INI file.
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

// hexColor reads #RRGGBB, or with an alpha behind it.
func hexColor(s string) (scenes.RGBA, bool) {
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if len(s) != 7 && len(s) != 9 || s[0] != '#' {
		return scenes.RGBA{}, false
	}
	v, err := strconv.ParseUint(s[1:7], 16, 32)
	return scenes.Opaque(uint32(v)), err == nil
}

// A printed names an object, or a part of one, in the settings.
type printed struct{ object, part uint32 }

// extruders returns which filament objects and their parts are printed with, if the settings say it. They are read once.
func (r *reader) extruders() map[printed]uint32 {
	if r.extrudersOf != nil {
		return r.extrudersOf
	}
	r.extrudersOf = make(map[printed]uint32)
	s := new(scanner)
	s.reset(text.AsUTF8(bytes.NewReader(r.settings(objectParts))))
	var at printed
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
			at.object, _ = index(s.get("id"))
			at.part = 0
		case name == "part":
			at.part, _ = index(s.get("id"))
		case name == "metadata" && string(bytes.TrimSpace(s.get("key"))) == "extruder" && string(bytes.TrimSpace(s.get("type"))) != "volume":
			if n, ok := index(s.get("value")); ok && n > 0 && n <= maxFilaments {
				r.extrudersOf[at] = n
			}
		}
	}
}

// print finds what an object at a place is printed with: as the settings say of the item that it belongs to, or of the part
// of the item that it is.
func (r *reader) print(at *spot, o *object) {
	if len(r.filaments()) == 0 {
		return
	}
	key := printed{at.object, o.id}
	if at.object == 0 {
		at.object, key = o.id, printed{object: o.id}
	}
	if n, ok := r.extruders()[key]; ok && n <= uint32(len(r.filaments())) {
		at.filament = n
	}
}

// addFilaments brings the colours of filaments into the palette if something has them: triangles that are painted, or all of
// a model that has no colours of its own.
func (r *reader) addFilaments() {
	colors := r.filaments()
	r.allFilaments = len(colors) > 0 && len(r.materials) == 0 && len(r.palette) == 1
	painted := r.allFilaments
	for _, m := range r.models {
		for _, o := range m.objectsOf() {
			painted = painted || len(o.filament) > 0
		}
	}
	if painted {
		r.firstFilament = uint32(len(r.palette))
		r.palette = append(r.palette, colors...)
	}
}

// objectsOf returns the objects of a model; none of one that could not be read.
func (m *model) objectsOf() []*object {
	if m == nil {
		return nil
	}
	return m.order
}

// colors writes the colours of the corners of triangles of an object that is printed with a filament.
func (r *reader) colors(o *object, filament uint32, lo, hi int, to [][3]uint32) {
	part(o.color, lo, hi, to, [3]uint32{})
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
