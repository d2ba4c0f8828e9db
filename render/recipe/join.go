package recipe

import (
	"context"
	"math"

	"lockstep/internal/budget"
	"lockstep/render/recipe/internal/contents"
	"lockstep/render/recipe/internal/parts"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// joined reports whether meshes are joined or placed. If so, the colours are in the mesh in memory.
func (p *Picture) joined() bool {
	n := p.drawn()
	return n > 1 || n == 1 && p.Meshes[0].Placement() != nil
}

// join places the meshes and joins the meshes after the first with the mesh of the input.
func (d *Drawer) join(ctx context.Context, p *Picture, in *Input) error {
	mesh := in.Mesh()
	if mesh == nil {
		return unfit(in.Name, "meshes", "", "joining them needs all of each in memory, and there is none for it")
	}
	items := []join.Item{{Mesh: mesh, Name: in.Name, Transform: p.Meshes[0].Placement(), Color: itemColor(p.bodyText())}}
	if p.full().Look.Field != "" {
		items[0].Color = nil
	}
	hashes := []string{in.Contents}
	for i := 1; i < len(p.Meshes); i++ {
		m := &p.Meshes[i]
		if m.Against {
			continue
		}
		more, has, err := d.readMore(ctx, m.File, i)
		if err != nil {
			return err
		}
		if axis, err := scenes.ParseAxis(m.Up); err == nil {
			more.Stand(axis, p.UpOf(in))
		}
		hashes = append(hashes, has)
		items = append(items, join.Item{Mesh: more, Name: m.File, Transform: m.Placement(), Color: itemColor(m.Color)})
	}
	if d.NoteContents {
		in.Contents = contents.Join(hashes...)
	}
	joined, err := join.Meshes(items, uint32(p.BodyColor()))
	if err != nil {
		return unfit(in.Name, "meshes", "", "%v", err)
	}
	if in.divided != nil {
		if in.divided, err = in.divided.Join(joined, items, uint32(p.BodyColor())); err != nil {
			return errorf(Unfit, "%s: %w", in.Name, err)
		}
	}
	in.Source, in.Parts, in.Box = joined, joined.Parts, joined.Bounds()
	in.Held = budget.MeshBytes(joined.Len())
	return nil
}

// itemColor returns a colour in the form of join.Item.Color, or nil if c is not a colour.
func itemColor(c Color) *uint32 {
	rgb, ok := c.RGB()
	if !ok {
		return nil
	}
	color := uint32(rgb)
	return &color
}

// readMore reads the i-th mesh into memory. If d asks for the contents of files, it also returns the hash of its
// contents.
func (d *Drawer) readMore(ctx context.Context, file string, i int) (mesh *scenes.Mesh, contents string, err error) {
	opts := d.Read
	opts.Format = ""
	read, err := d.reader().Further(ctx, file, i, opts)
	if err != nil {
		return nil, "", ReadError(ctx, file, nil, err)
	}
	if mesh := read.Whole(); mesh != nil {
		return mesh, read.Contents, nil
	}
	read.Close()
	return nil, "", unfit(file, "meshes", "", "joining them needs all of each in memory, and there is none for it")
}

// isSet reports whether the recipe hides or colours any parts.
func (p *Parts) isSet() bool { return len(p.Colors)+len(p.Only)+len(p.Hide) > 0 }

// choice returns the parts in the form that package parts uses.
func (p *Parts) choice() parts.Choice {
	var c parts.Choice
	for _, one := range p.Colors {
		c.Colors = append(c.Colors, parts.Color{Part: string(one.Part), Color: itemColor(one.Color)})
	}
	for _, only := range p.Only {
		c.Only = append(c.Only, string(only))
	}
	for _, hide := range p.Hide {
		c.Hide = append(c.Hide, string(hide))
	}
	return c
}

// showParts colours and hides the parts of an input.
func (p *Picture) showParts(in *Input) error {
	mesh, c := in.Mesh(), p.Parts.choice()
	if mesh == nil {
		return unfit(in.Name, c.Field(), "", "needs all of the mesh in memory, and there is none for it")
	}
	if field, unknown := c.Unknown(mesh); unknown != "" {
		return unfit(in.Name, field, unknown, "%s", parts.Names(mesh))
	}
	body := itemColor(p.bodyText())
	if p.full().Look.Field != "" || p.joined() {
		body = nil
	}
	items, places := c.Items(mesh, body)
	if len(items) == 0 {
		return errorf(Blank, "%s: all of its parts are hidden", in.Name)
	}
	if a := mesh.Attributes; a != nil && int64(len(items))*int64(a.Vertices) > math.MaxInt32 {
		return unfit(in.Name, c.Field(), "", "splits the mesh into %d pieces, which are too many for its size", len(items))
	}
	shown, err := join.Meshes(items, uint32(p.BodyColor()))
	if err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
	}
	shown.Parts = places
	in.Source, in.Parts, in.Box = shown, shown.Parts, shown.Bounds()
	return nil
}
