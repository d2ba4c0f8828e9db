package recipe

import (
	"context"
	"fmt"

	"lockstep/render"
)

// Start reads the meshes of a recipe and starts a renderer for their pictures, with as many workers as fit into memory.
// once is passed to Open if the recipe streams. set, if not nil, sets options that are not part of a recipe. The caller
// must close the drawing.
func (d *Drawer) Start(ctx context.Context, p Picture, once bool, set func(*render.Options)) (*Drawing, error) {
	o := d.options(&p)
	if set != nil {
		set(&o)
	}
	if d.Memory != nil {
		if s := d.Memory.Lacks(o); s != nil {
			return nil, errorf(Unfit, "%w", Fault{"size", fmt.Sprintf("%dx%d", o.Width, o.Height), fmt.Sprintf("with look.samples %d %s", o.Samples, s.Text())})
		}
	}
	in, err := d.Open(ctx, p, o, once && p.Streams())
	if err != nil {
		return nil, err
	}
	o = d.Look(p, in, o)
	if d.Memory != nil {
		d.Memory.Took(in.Held, in.Source.Len())
		o.Workers = d.Memory.Workers(o)
	}
	g, err := d.Begin(p, o)
	if err != nil {
		in.Close()
		return nil, err
	}
	g.Input = in
	return g, nil
}
