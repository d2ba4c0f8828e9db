package format

import (
	"bytes"
	"regexp"
	"strings"

	"lockstep/scenes/internal/text"
)

// foreignKinds lists kinds of files that are not meshes, and the bytes at their start. The error about an input of
// unknown format names the kind. Marks of two bytes are left out, because a binary STL file may start with them.
var foreignKinds = []struct{ mark, kind string }{
	{"\x89PNG\r\n\x1a\n", "a PNG picture"},
	{"\xff\xd8\xff", "a JPEG picture"},
	{"GIF8", "a GIF picture"},
	{"II*\x00", "a TIFF picture"},
	{"MM\x00*", "a TIFF picture"},
	{"RIFF", "a RIFF file (WebP, WAV or AVI)"},
	{"PK\x05\x06", "an empty ZIP archive"},
	{"%PDF", "a PDF document"},
	{"\x7fELF", "an ELF program"},
	{"\xcf\xfa\xed\xfe", "a Mach-O program"},
	{"\xca\xfe\xba\xbe", "a Java class or Mach-O program"},
	{"\xfd7zXZ\x00", "an xz file"},
	{"BZh", "a bzip2 file"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"glTF", "a binary glTF scene"},
	{"ply\n", "a PLY mesh"},
	{"ply\r", "a PLY mesh"},
	{"OFF\n", "an OFF mesh"},
	{"OFF\r", "an OFF mesh"},
	{"ISO-10303-21;", "a STEP model, of which Gmsh makes a mesh that is read" + gmshCommand},
	{"DBRep_DrawableShape", "a BREP model, of which Gmsh makes a mesh that is read" + gmshCommand},
	{"\xe0\x00\x00\x01", "binary XML (Fast Infoset), as of binary X3D, which this version does not read"},
	{"BLENDER-v", "a Blender scene, which this version does not read"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, in the place of a file that was not fetched"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\x00\x00\x00\x0cjP", "a JPEG 2000 picture"},
	{"<?xml", "XML"},
	{"<!DOCTYPE", "HTML"},
	{"<html", "HTML"},
}

// gmshCommand is the end of a message. It tells how the program Gmsh makes a mesh from a model of curved surfaces.
const gmshCommand = ": gmsh -2 MODEL -o mesh.msh"

// Model returns the usual extension (.step, .brep or .igs) if a file that starts with prefix is a model of curved
// surfaces, and "" otherwise. Only other programs can turn such models into meshes.
func Model(prefix []byte) string {
	switch {
	case bytes.HasPrefix(prefix, []byte("ISO-10303-21;")):
		return ".step"
	case bytes.HasPrefix(prefix, []byte("DBRep_DrawableShape")):
		return ".brep"
	case isIGES(prefix):
		return ".igs"
	}
	return ""
}

// isIGES reports whether p starts with a line of an IGES file. The last eight of its 80 columns are an S and the number
// 1.
func isIGES(p []byte) bool {
	return len(p) >= 80 && p[72] == 'S' && string(bytes.TrimLeft(p[73:80], " 0")) == "1"
}

// commas matches two numbers with decimal commas. Some programs write them if the user's language has decimal commas.
var commas = regexp.MustCompile(`[0-9],[0-9]+[ \t]+[-+]?[0-9]+,[0-9]`)

// textDoubt returns a phrase for an error message that describes a text which is not a mesh.
func textDoubt(p []byte) string {
	p = text.TrimBOM(p)
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(p, " \t\r\n"), []byte("{")):
		return "JSON that is no glTF scene"
	case isIGES(p):
		return "it looks like an IGES model, of which Gmsh makes a mesh that is read" + gmshCommand
	case commas.Match(p):
		return "text that is no mesh: its numbers have commas where points should be"
	}
	return "text that is no mesh"
}

// foreignKind returns the kind of a file that starts with p if the file is certainly not a mesh. It returns "" if the
// file might be a mesh.
func foreignKind(p []byte) string {
	for _, k := range foreignKinds {
		if strings.HasPrefix(string(p[:min(len(p), len(k.mark))]), k.mark) {
			return k.kind
		}
	}
	return ""
}
