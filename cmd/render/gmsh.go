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

// circleEdges is the number of edges that Gmsh makes for a full circle of a curved surface.
const circleEdges = "36"

// colorCodes matches control sequences that colour text on a terminal.
var colorCodes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// modelHead is the number of bytes at the beginning of a file by which a model is recognized.
const modelHead = 4096

// convertWithGmsh makes a mesh from a model of curved surfaces. It runs an installed Gmsh, which writes into a
// temporary folder. convertWithGmsh returns the name of the mesh, and a function that removes the folder. If the file
// is not a model, the name is "".
func convertWithGmsh(ctx context.Context, name string) (made string, remove func(), err error) {
	remove = func() {}
	kind := modelKind(name)
	if kind == "" {
		return "", remove, nil
	}
	program, err := exec.LookPath("gmsh")
	if err != nil {
		return "", remove, cli.Usagef("--with gmsh: Gmsh is not installed, so %s cannot be converted to a mesh", name)
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

// modelKind recognizes a model by its first bytes, and returns the usual extension of such models. It returns "" for
// other files.
func modelKind(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return "" // reading the file returns the same error
	}
	defer f.Close()
	head := make([]byte, modelHead)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	return format.Model(head[:n])
}

// runGmsh runs Gmsh on a model and returns the name of the mesh. Gmsh recognizes models by their extension, and
// interprets a name that begins with a dash as a flag. Therefore runGmsh passes a link to the model with a suitable
// name.
func runGmsh(ctx context.Context, program, name, kind, folder string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", cli.Inputf("%s: %w", name, err)
	}
	model, mesh := filepath.Join(folder, "model"+kind), filepath.Join(folder, "model.msh")
	if err := os.Symlink(whole, model); err != nil {
		model = whole // without links, pass the model itself
	}
	command := exec.CommandContext(ctx, program, "-2", "-v", "1", "-clcurv", circleEdges, "-bin", "-o", mesh, model)
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
