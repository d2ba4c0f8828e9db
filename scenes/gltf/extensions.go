package gltf

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"lockstep/scenes/internal/text"
)

// An extensions holds the extensions of an object of the document, by their names.
type extensions map[string]json.RawMessage

// harmlessExtensions lists extensions that do not change where the data of an object is. If an object has no other
// extensions, its data is where the specification says.
var harmlessExtensions = []string{"KHR_materials_variants", "EXT_texture_webp", basisName, "KHR_xmp", "KHR_xmp_json_ld"}

// basisName is the name of the extension for textures in KTX 2.
const basisName = "KHR_texture_basisu"

// get decodes the extension called name into `to`. It returns false if the extension is missing or cannot be decoded.
func (e extensions) get(name string, to any) bool {
	data, ok := e[name]
	return ok && json.Unmarshal(data, to) == nil
}

// unreadNames returns the names of at most three extensions of an object. Data that the object itself lacks may be in
// these extensions. It returns "" if there are no such extensions.
func (e extensions) unreadNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if !slices.Contains(harmlessExtensions, name) {
			names = append(names, text.Name(name))
		}
	}
	return strings.Join(names[:min(len(names), 3)], ", ")
}

// meshoptView returns the parameters with which a buffer view is compressed, and the name of the extension that states
// them. The result is nil if the view is not compressed.
func (e extensions) meshoptView() (*meshoptView, string) {
	for _, name := range []string{"EXT_meshopt_compression", "KHR_meshopt_compression"} {
		if c := new(meshoptView); e.get(name, c) {
			return c, name
		}
	}
	return nil, ""
}

// canDraw reports whether files that require the extension can be drawn.
func canDraw(extension string) bool {
	switch extension {
	case "KHR_mesh_quantization", "KHR_texture_transform", "EXT_mesh_gpu_instancing", "EXT_texture_webp", basisName,
		"EXT_meshopt_compression", "KHR_meshopt_compression", dracoName,
		"KHR_lights_punctual", "KHR_xmp", "KHR_xmp_json_ld", "KHR_animation_pointer", "EXT_lights_image_based":
		return true
	}
	return strings.HasPrefix(extension, "KHR_materials_")
}
