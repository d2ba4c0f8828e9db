package main

import (
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
)

// sceneScheme is the beginning of names of procedural scenes.
const sceneScheme = "scene:"

// meshName returns the name of a mesh in messages: the name that the user gave, or "standard input".
func meshName(mesh string) string {
	if mesh == "-" {
		return "standard input"
	}
	return mesh
}

// defaultOutput returns the file name of a mesh's picture if the user gives no name.
func defaultOutput(mesh string) (string, error) {
	base := framename.Base(mesh)
	if base == "" || strings.ContainsRune(base, filepath.Separator) || base == "." || base == ".." {
		return "", cli.Usagef("%s has no name to call the picture after: give -o FILE", meshName(mesh))
	}
	return base + ".png", nil
}

// checkFormat returns an error if name is a folder, or if its extension does not belong to a format that can be
// written. Devices and pipes are accepted. They have no extension, and their format is PNG.
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

// pictureKinds maps extensions to formats of pictures.
var pictureKinds = map[string]string{
	".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".tif": "tiff", ".tiff": "tiff", ".bmp": "bmp", ".webp": "webp", ".exr": "exr",
	".svg": "svg", ".pdf": "pdf",
}

// pictureKind returns the format of a picture. It is PNG if neither the flag format nor the extension determines it.
func pictureKind(name, format string) string {
	if format != "" && format != "auto" {
		return format
	}
	if kind := pictureKinds[strings.ToLower(filepath.Ext(name))]; kind != "" && !isDevice(name) {
		return kind
	}
	return "png"
}

// isDevice reports whether name exists and is neither a regular file nor a folder.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
