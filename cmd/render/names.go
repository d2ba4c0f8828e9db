package main

import (
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
)

// sceneScheme begins the name of a procedural scene.
const sceneScheme = "scene:"

// meshName returns what messages call a mesh: the user's words for it, but for
// standard input.
func meshName(mesh string) string {
	if mesh == "-" {
		return "standard input"
	}
	return mesh
}

// defaultOutput returns the picture's name for a mesh where none is given.
func defaultOutput(mesh string) (string, error) {
	base := framename.Base(mesh)
	if base == "" || strings.ContainsRune(base, filepath.Separator) || base == "." || base == ".." {
		return "", cli.Usagef("%s has no name to call the picture after: give -o FILE", meshName(mesh))
	}
	return base + ".png", nil
}

// checkFormat refuses folders, and a picture file whose extension stands for a
// format that is not written. Devices and pipes, which have no extension, get
// PNG.
func checkFormat(name, format string) error {
	if name == "" || name == "-" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return cli.Outputf("%s: is a folder", name)
	}
	ext := strings.ToLower(filepath.Ext(name))
	if format != "" && format != "auto" || pictureKinds[ext] != "" || isDevice(name) {
		return nil
	}
	what := "the name has no extension"
	switch ext {
	case "":
	case ".gif", ".apng", ".mp4", ".webm":
		return cli.Usagef("%s: %s is for films, which render animate makes: expected .png, .jpg, .tif, .bmp, .webp, .svg or .pdf", name, ext)
	default:
		what = "pictures of type " + ext + " are not available in this version"
	}
	return cli.Usagef("%s: %s: expected .png, .jpg, .tif, .bmp, .webp, .svg or .pdf, or --format png whatever the name", name, what)
}

// pictureKinds are the formats of pictures by extension.
var pictureKinds = map[string]string{
	".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".tif": "tiff", ".tiff": "tiff", ".bmp": "bmp", ".webp": "webp", ".exr": "exr",
	".svg": "svg", ".pdf": "pdf",
}

// pictureKind returns the format of a picture; that of what has no extension is PNG.
func pictureKind(name, format string) string {
	if format != "" && format != "auto" {
		return format
	}
	if kind := pictureKinds[strings.ToLower(filepath.Ext(name))]; kind != "" && !isDevice(name) {
		return kind
	}
	return "png"
}

// isDevice reports whether name is there and is neither a file nor a folder.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
