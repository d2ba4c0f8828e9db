// Package parts colours, shows and hides the parts of a mesh.
package parts

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/phrase"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// A Choice determines which parts of a mesh are shown, and in which colours. Parts are named in the same way as by
// recipe.Part.
type Choice struct {
	Colors []Color  // if several match the same part, the last of them is used
	Only   []string // parts that are shown; empty means all
	Hide   []string // parts that are not shown, even if they are in Only
}

// A Color is the colour of a part.
type Color struct {
	Part  string
	Color *uint32
}

// matches reports whether `name` selects a part: it is the part's number, or the part's own name `own`.
func matches(name string, number int, own string) bool {
	if n, err := strconv.Atoi(name); err == nil {
		return n == number
	}
	return name == own
}

// A run is a range of triangles with one colour that are all shown or all hidden.
type run struct {
	first, count int
	part         int // number of the part; -1 means none
	color        *uint32
	hidden       bool
}

// runs divides the triangles of a mesh into runs: its parts, and the triangles between them.
func (c *Choice) runs(mesh *scenes.Mesh) (all []run) {
	at := 0
	between := func(to int) {
		if to > at {
			all = append(all, run{first: at, count: to - at, part: -1, hidden: len(c.Only) > 0})
		}
	}
	for i, part := range mesh.Parts {
		between(part.First)
		r := run{first: part.First, count: part.Count, part: i, hidden: len(c.Only) > 0}
		for _, color := range c.Colors {
			if matches(color.Part, i, part.Name) {
				r.color = color.Color
			}
		}
		for _, only := range c.Only {
			if matches(only, i, part.Name) {
				r.hidden = false
			}
		}
		for _, hide := range c.Hide {
			if matches(hide, i, part.Name) {
				r.hidden = true
			}
		}
		all = append(all, r)
		at = part.First + part.Count
	}
	between(mesh.Len())
	return all
}

// FindUnknown returns the first part of the choice that the mesh does not have, and the field of the recipe that
// contains it. Both are empty if the mesh has all parts.
func (c *Choice) FindUnknown(mesh *scenes.Mesh) (field, unknown string) {
	colored := make([]string, len(c.Colors))
	for i := range c.Colors {
		colored[i] = c.Colors[i].Part
	}
	for _, list := range []struct {
		field string
		names []string
	}{{"parts.colors", colored}, {"parts.only", c.Only}, {"parts.hide", c.Hide}} {
	next:
		for _, name := range list.names {
			for i := range mesh.Parts {
				if matches(name, i, mesh.Parts[i].Name) {
					continue next
				}
			}
			return list.field, name
		}
	}
	return "", ""
}

// Items returns the shown triangles of a mesh as items, and the parts of the mesh with their positions in the joined
// mesh. body is the colour of triangles to which the choice gives no colour; nil means the colours of the mesh.
// Neighbouring runs of the same colour form one item.
func (c *Choice) Items(mesh *scenes.Mesh, body *uint32) (items []join.Item, parts []scenes.Part) {
	var last *run
	at := 0
	for _, r := range c.runs(mesh) {
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
			items[len(items)-1].Mesh = sliceOf(mesh, last.first, last.first+last.count)
			continue
		}
		last = &run{first: r.first, count: r.count, color: r.color}
		items = append(items, join.Item{Mesh: sliceOf(mesh, r.first, r.first+r.count), Color: r.color})
	}
	return items, parts
}

// Field returns the field of the recipe to which an error about parts refers.
func (c *Choice) Field() string {
	switch {
	case len(c.Colors) > 0:
		return "parts.colors"
	case len(c.Only) > 0:
		return "parts.only"
	}
	return "parts.hide"
}

// sameColor reports whether two colours are equal, or both missing.
func sameColor(a, b *uint32) bool { return a == b || a != nil && b != nil && *a == *b }

// Names lists the parts of a mesh for messages.
func Names(mesh *scenes.Mesh) string {
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

// sliceOf returns triangles lo to hi (exclusive) of a mesh as a mesh without parts. The result shares the memory of m.
func sliceOf(m *scenes.Mesh, lo, hi int) *scenes.Mesh {
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
	b.Index, b.Normals.Index, b.Colors.Index = columns(a.Index), columns(a.Normals.Index), columns(a.Colors.Index)
	b.TexCoords.Index, b.TexCoords2.Index = columns(a.TexCoords.Index), columns(a.TexCoords2.Index)
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
