package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/internal/webguard"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/view"
)

// A viewCommand shows meshes in a browser.
type viewCommand struct {
	pictureflags.Draw
	folderFlags
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read MESH as stl, ply, obj, ... (by its contents)."`

	Listen  string            `default:"127.0.0.1:0" placeholder:"ADDR" help:"Host:port; others need --cert (a local one)."`
	Cert    pictureflags.Path `placeholder:"FILE" help:"Certificate of TLS for --listen, PEM."`
	CertKey pictureflags.Path `name:"cert-key" placeholder:"FILE" help:"Key of --cert, PEM."`
	NoOpen  bool              `name:"no-open" help:"Print the address, and open no browser."`
	Diff    bool              `help:"First show how far the first mesh is from the second."`
	Export  pictureflags.Path `placeholder:"FILE.html" help:"Write a page that turns MESH, and serve nothing."`
	Policy  string            `placeholder:"RULE" help:"Criterion of quality, or never (guard:3:ours)."`

	More []pictureflags.Path `arg:"" optional:"" name:"meshes" help:"More meshes; folders stand for those in them."`
}

// SeparateAxesFromNames separates the up axes from the names of meshes. The parser calls it after reading all flags,
// possibly several times.
func (c *viewCommand) SeparateAxesFromNames() error { return c.SplitMeshes(nil, c.More) }

// run serves the page until the program is interrupted, or writes the page of --export.
func (c *viewCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	if c.Mesh == "-" {
		return cli.Usagef("view: reads its mesh again for pictures that it saves: expected a file, not standard input")
	}
	if len(c.Add) > 0 || len(c.Against) > 0 {
		return cli.Usagef("view: shows one mesh at a time: --add and --against are for render image, and view --diff A B compares two")
	}
	c.MeshFormat = string(c.Format)
	if err := c.Draw.Check(); err != nil {
		return err
	}
	meshes, err := c.listMeshes(ctx, a)
	if err != nil {
		return err
	}
	if c.Diff && len(meshes) != 2 {
		return cli.Usagef("--diff compares two meshes, and there are %d", len(meshes))
	}
	if c.Export != "" {
		return c.export(ctx, a, meshes)
	}
	a.measureMemory()
	state := c.Picture()
	state.Meshes = nil
	o := view.Options{Drawer: *a.newDrawer(&c.Draw), Picture: state, Meshes: meshes, Listen: c.Listen, Policy: c.Policy, Diff: c.Diff}
	o.Drawer.Warn = nil // the page shows the warnings
	options := render.Options{ISA: o.Drawer.ISA, Balance: o.Drawer.Balance}
	a.setCosts(ctx, &options)
	o.Drawer.Costs = options.Costs
	if err := c.setCredentials(&o); err != nil {
		return err
	}
	server, err := view.Start(o)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	defer server.Close()
	if _, err := fmt.Fprintln(out, server.URL()); err != nil {
		return cli.StdoutError(err)
	}
	if !c.NoOpen {
		openBrowser(server.URL())
	}
	<-ctx.Done()
	return nil
}

// listMeshes returns the meshes of the command line, including the meshes in folders.
func (c *viewCommand) listMeshes(ctx context.Context, a *app) (meshes []recipe.Mesh, err error) {
	names := []string{string(c.Mesh)}
	for _, mesh := range c.More {
		names = append(names, string(mesh))
	}
	found, _, err := c.expand(ctx, a, names, c.Ups)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		p := c.PictureOf(f.mesh)
		meshes = append(meshes, p.Meshes[0])
	}
	return meshes, nil
}

// setCredentials sets the certificate and the token with which other machines connect. Every run makes a new token.
// setCredentials returns an error if other machines can connect but there is no certificate.
func (c *viewCommand) setCredentials(o *view.Options) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return cli.Usagef("--listen %s: expected host:port, such as 127.0.0.1:8000", c.Listen)
	}
	if webguard.IsLoopback(net.JoinHostPort(host, "0")) {
		if c.Cert != "" || c.CertKey != "" {
			return cli.Usagef("--cert is for addresses that other machines reach")
		}
		return nil
	}
	if c.Cert == "" || c.CertKey == "" {
		return cli.Usagef("--listen %s: other machines could see it: expected --cert and --cert-key, or keep 127.0.0.1 and use ssh -L", c.Listen)
	}
	pair, err := tls.LoadX509KeyPair(string(c.Cert), string(c.CertKey))
	if err != nil {
		return cli.Inputf("--cert %s: %w", c.Cert, err)
	}
	o.TLS, o.Token = &pair, rand.Text()
	return nil
}

// openBrowser opens an address in the user's browser if there is a display. Errors are ignored, because the user can
// also open the printed address.
func openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
