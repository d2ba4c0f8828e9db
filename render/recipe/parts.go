package recipe

import (
	"fmt"
	"math"
	"strings"

	"lockstep/internal/phrase"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// isSet reports whether the recipe hides or colours any parts.
func (p *Parts) isSet() bool { return len(p.Colors)+len(p.Only)+len(p.Hide) > 0 }

// A run is a range of triangles with one colour that are all shown or all hidden.
type run struct {
	first, count int
	part         int // number of the part; -1: none
	color        *uint32
	hidden       bool
}

// runs divides the triangles of a mesh into runs: its parts, and the triangles between them.
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

// check returns the first part in the recipe that the mesh does not have, and the field with this part. Both are empty
// if the mesh has all parts.
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

// shownItems returns the shown triangles of a mesh as items. It also returns the parts of the mesh, with the places
// that they will have in the joined mesh. Neighbouring runs of the same colour form one item.
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

// partsField returns the field of the recipe to which an error about parts refers.
func (p *Picture) partsField() string {
	switch {
	case len(p.Parts.Colors) > 0:
		return "parts.colors"
	case len(p.Parts.Only) > 0:
		return "parts.only"
	}
	return "parts.hide"
}

// sameColor reports whether two colours are equal, or both missing.
func sameColor(a, b *uint32) bool { return a == b || a != nil && b != nil && *a == *b }

// partNames lists the parts of a mesh for messages.
func partNames(mesh *scenes.Mesh) string {
	const most = 12 // number of parts that are listed
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

// slice returns triangles lo to hi (exclusive) of a mesh as a mesh without parts, which shares the memory of m.
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
