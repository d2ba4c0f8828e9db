package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/scenes/format"
)

// aroundPieces is how many pieces a whole turn of a curved surface has in meshes that Gmsh makes.
const aroundPieces = "36"

// colorCodes matches what makes text of a terminal coloured.
var colorCodes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// modelHead is how many bytes tell a model.
const modelHead = 4096

// withGmsh makes a mesh of a model of curved surfaces by an installed Gmsh, in a folder of its own, and returns its name
// and what removes it; no name for a file that is no model.
func withGmsh(ctx context.Context, name string) (made string, remove func(), err error) {
	remove = func() {}
	kind := modelKind(name)
	if kind == "" {
		return "", remove, nil
	}
	program, err := exec.LookPath("gmsh")
	if err != nil {
		return "", remove, cli.Usagef("--with gmsh: Gmsh is not installed, which would make a mesh of %s", name)
	}
	folder, err := os.MkdirTemp("", "lockstep-")
	if err != nil {
		return "", remove, cli.Outputf("--with gmsh: %w", err)
	}
	remove = func() { os.RemoveAll(folder) }
	if made, err = runGmsh(ctx, program, name, kind, folder); err != nil {
		remove()
		return "", func() {}, err
	}
	return made, remove, nil
}

// modelKind returns the ending that names of a model have, by its first bytes; empty for other files.
func modelKind(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return "" // reading it says why
	}
	defer f.Close()
	head := make([]byte, modelHead)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	return format.Model(head[:n])
}

// runGmsh has Gmsh make a mesh of a model. It knows models by the ending of their names, and takes names that begin with
// a dash for flags: so it gets a link of a name that is neither.
func runGmsh(ctx context.Context, program, name, kind, folder string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", cli.Inputf("%s: %w", name, err)
	}
	model, mesh := filepath.Join(folder, "model"+kind), filepath.Join(folder, "model.msh")
	if err := os.Symlink(whole, model); err != nil {
		model = whole // where there are no links
	}
	command := exec.CommandContext(ctx, program, "-2", "-v", "1", "-clcurv", aroundPieces, "-bin", "-o", mesh, model)
	var messages bytes.Buffer
	command.Stdout, command.Stderr, command.Dir = &messages, &messages, folder
	err = command.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if _, missing := os.Stat(mesh); err == nil && missing != nil {
		err = errors.New("it made no mesh")
	}
	if err == nil {
		return mesh, nil
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n"); line != "" {
		err = errors.New(phrase.OneLine(strings.Trim(colorCodes.ReplaceAllString(line, ""), "* ")))
	}
	return "", cli.Inputf("%s: %w", name, fmt.Errorf("gmsh: %w", err))
}
