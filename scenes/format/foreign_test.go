package format

import (
	"strings"
	"testing"

	"lockstep/scenes"
)

// TestTextDoubt checks the descriptions of texts that are not meshes.
func TestTextDoubt(t *testing.T) {
	for file, want := range map[string]string{
		" \n{\"error\":1}":         "JSON that is no glTF scene",
		"v 0,0 1,5 0,0\nf 1 2 3\n": "text that is no mesh: its numbers have commas where points should be",
		"x 1,5 -2,5":               "text that is no mesh: its numbers have commas where points should be",
		"one, two 3, 4":            "text that is no mesh",
		"ISO-10303-21;\nHEADER;\n": "it looks like a STEP model, of which Gmsh makes a mesh that is read: gmsh -2 MODEL -o mesh.msh",
		"DBRep_DrawableShape\n\nx": "it looks like a BREP model",
		"part" + strings.Repeat(" ", 68) + "S      1\n1H,,1H;\n":     "it looks like an IGES model, of which Gmsh makes a mesh that is read: gmsh -2 MODEL -o mesh.msh",
		"part" + strings.Repeat(" ", 68) + "S      x\n1H,,1H;\n":     "text that is no mesh",
		"\xe0\x00\x00\x01\x20 urn:web3d:x3d":                         "it looks like binary XML (Fast Infoset)",
		"version https://git-lfs.github.com/spec/v1\noid sha256:1\n": "it looks like a pointer of Git LFS",
	} {
		_, _, err := Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), ": "+want) || want == "text that is no mesh" && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
}
