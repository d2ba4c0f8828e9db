package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"lockstep/internal/cli"
	"lockstep/render/recipe"
	"lockstep/view"
)

// export writes a page that shows the mesh from all sides and needs no server.
func (c *viewCommand) export(ctx context.Context, a *app, meshes []recipe.Mesh) error {
	if len(meshes) != 1 {
		return cli.Usagef("--export shows one mesh, and there are %d", len(meshes))
	}
	for _, flag := range []string{"listen", "cert", "cert-key", "no-open", "policy", "diff"} {
		if c.IsGiven(flag) {
			return cli.Usagef("--%s is for a page that is served, and --export writes one that needs no server", flag)
		}
	}
	name := string(c.Export)
	switch extension := strings.ToLower(filepath.Ext(name)); {
	case isStandardOutput(name) || extension == ".html" || extension == ".htm":
	default:
		return cli.Usagef("--export %s: it is a page: expected a name with .html", name)
	}
	if err := a.checkDrawing(&c.Draw); err != nil {
		return err
	}
	p := c.Picture()
	p.Meshes = meshes
	if !c.IsGiven("size") && p.Full().Size == new(recipe.Picture).Full().Size {
		p.Size = view.ExportSize
	}
	if p.Camera.Eye != nil {
		return cli.Usagef("--export looks from all sides: expected --view, the direction of the first picture, in place of --eye")
	}
	o := view.ExportOptions{Drawer: *a.newDrawer(&c.Draw), Picture: p, Name: view.Name(meshes[0])}
	begun := false
	o.Progress = func(_, total int) {
		if !begun {
			a.Progress.BeginRate("drawing", "pictures", int64(total))
			begun = true
		}
		a.Progress.Add(1)
	}
	defer a.Progress.End()
	return cli.DrawingError(writeFile(a, name, func(out io.Writer) error { return view.Export(ctx, out, o) }))
}
