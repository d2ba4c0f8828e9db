package recipe

import (
	"context"

	"lockstep/internal/budget"
	"lockstep/render/recipe/internal/contents"
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
	if err := in.joinWhole(joined, items, uint32(p.BodyColor())); err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
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
