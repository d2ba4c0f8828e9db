package recipe

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lockstep/internal/phrase"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// A Part names parts of a mesh: by the number of one as info lists it, from 0, or by the name that it, and perhaps
// others, have in the file. A number goes before a name.
type Part string

// MarshalText returns the name or number.
func (p Part) MarshalText() ([]byte, error) { return []byte(p), nil }

// UnmarshalText reads any text but an empty one.
func (p *Part) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return fmt.Errorf("expected the number or the name of a part")
	}
	*p = Part(text)
	return nil
}

// matches reports whether a part of a mesh, by its number and name, is meant.
func (p Part) matches(number int, name string) bool {
	if n, err := strconv.Atoi(string(p)); err == nil {
		return n == number
	}
	return string(p) == name
}

// A PartColor gives parts a colour.
type PartColor struct {
	Part  Part
	Color Color
}

// MarshalText returns PART=COLOR.
func (c PartColor) MarshalText() ([]byte, error) {
	return []byte(string(c.Part) + "=" + string(c.Color)), nil
}

// UnmarshalText reads PART=COLOR. A part may have = in its name.
func (c *PartColor) UnmarshalText(text []byte) error {
	at := strings.LastIndex(string(text), "=")
	if at < 1 {
		return fmt.Errorf("%q: expected PART=RRGGBB, with the number or the name of a part", text)
	}
	color := Color(text[at+1:])
	if _, ok := color.RGB(); !ok {
		return fmt.Errorf("%q: expected RRGGBB in hexadecimal, #RGB, or a name such as white, behind =", text)
	}
	*c = PartColor{Part(text[:at]), color}
	return nil
}

// Parts say which parts of the meshes are shown, and how.
type Parts struct {
	// Colors are those of parts; of several for one the last counts.
	Colors []PartColor `json:"colors,omitempty" flag:"part-color"`
	// Only are the parts that are shown; empty: all. Hide are those that are not.
	Only []Part `json:"only,omitempty" flag:"only"`
	Hide []Part `json:"hide,omitempty" flag:"hide"`
}

// set reports whether parts are changed.
func (p *Parts) set() bool { return len(p.Colors)+len(p.Only)+len(p.Hide) > 0 }

// A run is a run of triangles that are treated alike.
type run struct {
	first, count int
	part         int // its number; -1: no part
	color        *uint32
	hidden       bool
}

// runs returns the triangles of a mesh as runs: its parts, and what lies between them.
func (p *Parts) runs(mesh *scenes.Mesh) (all []run) {
	at := 0
	between := func(to int) {
		if to > at {
			all = append(all, run{first: at, count: to - at, part: -1, hidden: len(p.Only) > 0})
		}
	}
	for i, part := range mesh.Parts {
		between(part.First)
		r := run{first: part.First, count: part.Count, part: i, hidden: len(p.Only) > 0}
		for _, c := range p.Colors {
			if c.Part.matches(i, part.Name) {
				r.color = itemColor(c.Color)
			}
		}
		for _, only := range p.Only {
			if only.matches(i, part.Name) {
				r.hidden = false
			}
		}
		for _, hide := range p.Hide {
			if hide.matches(i, part.Name) {
				r.hidden = true
			}
		}
		all = append(all, r)
		at = part.First + part.Count
	}
	between(mesh.Len())
	return all
}

// check returns the first part that was named and that a mesh does not have, with its field.
func (p *Parts) check(mesh *scenes.Mesh) (field string, unknown Part) {
	colored := make([]Part, len(p.Colors))
	for i := range p.Colors {
		colored[i] = p.Colors[i].Part
	}
	for _, list := range []struct {
		field string
		parts []Part
	}{{"parts.colors", colored}, {"parts.only", p.Only}, {"parts.hide", p.Hide}} {
	next:
		for _, name := range list.parts {
			for i := range mesh.Parts {
				if name.matches(i, mesh.Parts[i].Name) {
					continue next
				}
			}
			return list.field, name
		}
	}
	return "", ""
}

// showParts colours and hides the parts of an input.
func (p *Picture) showParts(in *Input) error {
	mesh := in.Mesh()
	if mesh == nil {
		return unfit(in.Name, p.partsField(), "", "needs all of the mesh in memory, and there is none for it")
	}
	if field, unknown := p.Parts.check(mesh); unknown != "" {
		return unfit(in.Name, field, string(unknown), "%s", partNames(mesh))
	}
	items, parts := p.shownItems(mesh)
	if len(items) == 0 {
		return errorf(Blank, "%s: all of its parts are hidden", in.Name)
	}
	if a := mesh.Attributes; a != nil && int64(len(items))*int64(a.Vertices) > math.MaxInt32 {
		return unfit(in.Name, p.partsField(), "", "splits the mesh into %d pieces, which are too many for its size", len(items))
	}
	shown, err := join.Meshes(items, uint32(p.BodyColor()))
	if err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
	}
	shown.Parts = parts
	in.Source, in.Parts, in.Box = shown, shown.Parts, shown.Bounds()
	return nil
}

// shownItems returns what is shown of a mesh, neighbours of one colour as one, and its parts in the mesh of all.
func (p *Picture) shownItems(mesh *scenes.Mesh) (items []join.Item, parts []scenes.Part) {
	body := itemColor(p.bodyText())
	if p.full().Look.Field != "" || p.joined() {
		body = nil
	}
	var last *run
	at := 0
	for _, r := range p.Parts.runs(mesh) {
		if r.hidden {
			continue
		}
		if r.part >= 0 {
			part := mesh.Parts[r.part]
			part.First = at
			parts = append(parts, part)
		}
		if at += r.count; r.count == 0 {
			continue
		}
		if r.color == nil {
			r.color = body
		}
		if last != nil && last.first+last.count == r.first && sameColor(last.color, r.color) {
			last.count += r.count
			items[len(items)-1].Mesh = slice(mesh, last.first, last.first+last.count)
			continue
		}
		last = &run{first: r.first, count: r.count, color: r.color}
		items = append(items, join.Item{Mesh: slice(mesh, r.first, r.first+r.count), Color: r.color})
	}
	return items, parts
}

// partsField returns the field that is named where parts are wrong.
func (p *Picture) partsField() string {
	switch {
	case len(p.Parts.Colors) > 0:
		return "parts.colors"
	case len(p.Parts.Only) > 0:
		return "parts.only"
	}
	return "parts.hide"
}

// sameColor reports whether two colours are one, or none.
func sameColor(a, b *uint32) bool { return a == b || a != nil && b != nil && *a == *b }

// partNames says which parts a mesh has.
func partNames(mesh *scenes.Mesh) string {
	const most = 12 // that are named
	switch n := len(mesh.Parts); n {
	case 0:
		return "the mesh has no parts"
	default:
		names := make([]string, 0, most)
		for i := range min(n, most) {
			names = append(names, fmt.Sprintf("%d %q", i, phrase.Printable(mesh.Parts[i].Name)))
		}
		more := ""
		if n > most {
			more = fmt.Sprintf(" and %d more", n-most)
		}
		return "the mesh has the parts " + strings.Join(names, ", ") + more
	}
}

// slice returns triangles lo to hi (exclusive) of a mesh as one of their own, without parts. It shares the mesh's
// memory.
func slice(m *scenes.Mesh, lo, hi int) *scenes.Mesh {
	s := &scenes.Mesh{Block: m.Slice(lo, hi), Origin: m.Origin, Up: m.Up, Unit: m.Unit}
	a := m.Attributes
	if a == nil {
		return s
	}
	columns := func(index [3][]uint32) (part [3][]uint32) {
		for k := range index {
			if index[k] != nil {
				part[k] = index[k][lo:hi]
			}
		}
		return part
	}
	b := *a
	b.Index, b.Normals.Index, b.Colors.Index, b.TexCoords.Index = columns(a.Index), columns(a.Normals.Index), columns(a.Colors.Index), columns(a.TexCoords.Index)
	if a.MaterialOf != nil {
		b.MaterialOf = a.MaterialOf[lo:hi]
	}
	b.Fields = append([]scenes.Field(nil), a.Fields...)
	for i := range b.Fields {
		if b.Fields[i].OfTriangles {
			b.Fields[i].Values = b.Fields[i].Values[lo:hi]
		}
	}
	s.Attributes = &b
	return s
}
