package obj

import (
	"image"
	"io"
	"path"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A materials holds the materials that were read. It also records which warnings about them were added.
type materials struct {
	byName map[string]*material
	byKey  map[string]*material // materials by their keys
	read   map[string]error     // result of reading each name in mtllib lines
	parsed map[string]bool      // paths of files that were read, as Input.FindBeside returns them
	// warnedMissing is set after a warning that explains why materials are missing. missed holds the names of missing
	// materials that a warning has named.
	warnedMissing bool
	missed        map[string]bool
	// Pictures that were read, by folder and name, and pictures that were computed from others. Materials share them.
	pictures     map[string]*image.NRGBA
	masked       map[maskKey]mask
	remade       map[derivedKey]*image.NRGBA
	held         int64                // bytes of pictures that may not be in the mesh: sources of masks and normal maps
	maps         map[int32]textureMap // placement of textures, by the material's index in the mesh
	warnedGlow   bool                 // there is a warning about an emission that is not drawn
	warnedAbove  bool                 // there is a warning about a colour above 1
	warnedRelief bool                 // there is a warning about a bump map that is not drawn
}

// A material holds the statements about a material in its file.
type material struct {
	color      uint32     // Kd as sRGB; indexed.NoColor if missing
	alpha      float64    // d
	diffuse    textureRef // map_Kd
	ambient    textureRef // map_Ka
	mask       textureRef // map_d
	glow       textureRef // map_Ke
	emission   [3]float32 // Ke, linear
	aboveOne   bool       // a component of Kd is above 1
	reflection reflection
	folder     string // folder of the file of materials
	number     int    // 1 + index in the mesh, see indexed.Polygon; 0: not in the mesh yet
}

func newMaterials() materials {
	return materials{
		byName: make(map[string]*material), byKey: make(map[string]*material), read: make(map[string]error), parsed: make(map[string]bool),
		pictures: make(map[string]*image.NRGBA), masked: make(map[maskKey]mask), remade: make(map[derivedKey]*image.NRGBA), maps: make(map[int32]textureMap),
	}
}

// held returns the memory of the mesh and of the pictures that are not in the mesh.
func (r *reader) held() int64 { return r.Held() + r.materials.held }

// The method find returns the material called name. If there is none, it returns a material whose name differs only
// in case, quotes or a comment. If there is no such material either, it returns nil.
func (m *materials) find(name string) *material {
	if mat := m.byName[name]; mat != nil {
		return mat
	}
	return m.byKey[nameKey(name)]
}

// nameKey returns a key that is equal for all spellings of a material's name.
func nameKey(name string) string { return strings.ToLower(trimName(name)) }

// trimName returns a name without quotes around it or a comment after it.
func trimName(name string) string {
	if len(name) > 1 && name[0] == '"' {
		if i := strings.IndexByte(name[1:], '"'); i >= 0 {
			return strings.TrimSpace(name[1 : 1+i])
		}
	}
	return trimComment(name)
}

// trimComment returns a name without the comment after it.
func trimComment(name string) string {
	if i := strings.Index(name, " #"); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// define adds a material. Its statements are set afterwards.
func (m *materials) define(name, folder string) *material {
	mat := &material{color: indexed.NoColor, alpha: 1, folder: folder, reflection: newReflection()}
	m.byName[name] = mat
	if k := nameKey(name); m.byKey[k] == nil {
		m.byKey[k] = mat
	}
	return mat
}

// maxMissed is how many missing names are stored, so that each of them is reported only once.
const maxMissed = 1 << 10

// isNewlyMissing reports whether name is missing for the first time, and records the name.
func (m *materials) isNewlyMissing(name string) bool {
	if m.missed[name] || len(m.missed) == maxMissed {
		return false
	}
	if m.missed == nil {
		m.missed = make(map[string]bool)
	}
	m.missed[name] = true
	return true
}

// warnMissing warns once about a material that no file defines. It does not warn if a warning already explains why
// materials are missing, or if the name means no material.
func (r *reader) warnMissing(name string) error {
	k := nameKey(name)
	if m := &r.materials; k == "" || k == "none" || k == "(null)" || m.warnedMissing || !m.isNewlyMissing(k) {
		return nil
	}
	if r.materials.read == nil {
		r.materials.warnedMissing = true
		return r.Warn.Add(r.place(), "material %s: no file of materials is named before it", text.Short(name))
	}
	return r.Warn.Add(r.place(), "material %s is in no file of materials", text.Short(name))
}

// useMaterial sets the material of the next faces. A material that is not defined has no colour.
func (r *reader) useMaterial(name string) error {
	r.color, r.polygon.Material = indexed.NoColor, 0
	mat := r.materials.find(name)
	if mat == nil {
		return r.warnMissing(name)
	}
	if mat.number == 0 && r.WantsAttributes() {
		if err := r.addMaterial(name, mat); err != nil {
			return err
		}
	}
	r.color, r.polygon.Material = mat.color, mat.number
	return nil
}

// addMaterial adds a material to the mesh.
func (r *reader) addMaterial(name string, mat *material) (err error) {
	m := scenes.Material{Name: name, BaseColor: [4]float32{1, 1, 1, 1}}
	if err := r.warnAboveOne(name, mat); err != nil {
		return err
	}
	// A file with map_Ka but no map_Kd comes from a program that uses one texture for both diffuse and ambient light.
	ref := mat.diffuse
	if ref.name == "" {
		ref = mat.ambient
	}
	if ref.name != "" {
		if m.Texture, err = r.texture(mat, ref); err != nil {
			return err
		}
	}
	// Many programs write a black Kd if the colours come from a texture. Such a Kd is ignored.
	if mat.color != indexed.NoColor && (m.Texture == nil || mat.color != 0) {
		m.BaseColor = surface.BaseColor(mat.color, 1)
	}
	// Alpha 0 is taken for 1. It must be a mistake, because the material would be invisible.
	if mat.alpha > 0 && mat.alpha < 1 {
		m.BaseColor[3], m.Alpha = float32(mat.alpha), scenes.AlphaBlend
	}
	if m.Texture == nil {
		ref = mat.mask
	}
	if m.Texture == nil && ref.name == "" && mat.glow.name == "" {
		ref = mat.reflection.placementTexture()
	}
	if mat.mask.name != "" {
		if err := r.applyMask(&m, mat); err != nil {
			return err
		}
	}
	if ref.name == "" {
		ref.at = plainMap
	}
	if m.Emission = mat.emission; mat.glow.name != "" {
		if err := r.setGlow(&m, name, mat, ref.at); err != nil {
			return err
		}
	}
	if err := r.setFinish(&m, mat, ref.at); err != nil {
		return err
	}
	mat.number = r.AddMaterial(m)
	if (m.Texture != nil || m.Glow != nil || m.Finish != nil) && ref.at != plainMap {
		r.materials.maps[int32(mat.number-1)] = ref.at
	}
	return nil
}

// setGlow gives material m the texture of its emission. The texture coordinates of the material get the placement `at`,
// so this texture needs a placement relative to `at`. If there is no such placement, m has no emission, and setGlow
// adds a warning.
func (r *reader) setGlow(m *scenes.Material, name string, mat *material, at textureMap) (err error) {
	placement, ok := at.placementOf(&mat.glow.at)
	if !ok {
		m.Emission = [3]float32{}
		if r.materials.warnedGlow {
			return nil
		}
		r.materials.warnedGlow = true
		return r.Warn.Add(r.place(), "material %s gives light by a texture (map_Ke) that cannot be placed beside its colour, and is not drawn", text.Short(name))
	}
	if m.Glow, err = r.texture(mat, mat.glow); m.Glow == nil {
		m.Emission = [3]float32{}
		return err
	}
	m.Glow.Placement = placement
	if m.Emission == ([3]float32{}) { // files with map_Ke often lack Ke
		m.Emission = [3]float32{1, 1, 1}
	}
	return err
}

// warnAboveOne warns that a material has a colour above 1. It warns only once per file.
func (r *reader) warnAboveOne(name string, mat *material) error {
	if !mat.aboveOne || r.materials.warnedAbove {
		return nil
	}
	r.materials.warnedAbove = true
	return r.Warn.Add(r.place(), "material %s has a colour above 1 (Kd); colours of 2 and more are taken to be from 0 to 255", text.Short(name))
}

// Limits of files of materials, which are read into memory. Programs write far smaller files.
const (
	maxLibraries    = 256
	maxLibraryBytes = 16 << 20
)

// readLibraries reads the files of materials that an "mtllib" line names. It first takes the rest of the line as one
// name. The name may contain spaces, and a comment may follow it. If there is no such file, readLibraries takes each
// word as a name. Several words in quotes count as one name.
func (r *reader) readLibraries(f *text.Fields) error {
	if r.materials.read == nil {
		r.materials = newMaterials()
	}
	whole := restAsName(f)
	err := r.readLibrary(whole)
	if plain := trimComment(whole); err != nil && plain != whole && r.readLibrary(plain) == nil {
		return nil
	}
	names := libraryNames(whole)
	if err == nil || len(names) == 0 {
		return r.warnLibrary(whole, err)
	}
	for _, one := range names {
		if err := r.warnLibrary(one, r.readLibrary(one)); err != nil {
			return err
		}
	}
	return nil
}

// warnLibrary warns once about a file of materials that could not be read. It does nothing if err is nil.
func (r *reader) warnLibrary(name string, err error) error {
	if err == nil || !r.materials.isNewlyMissing("file "+name) {
		return nil
	}
	r.materials.warnedMissing = true
	return surface.WarnMissing(r.in, r.Warn, r.place(), "materials "+text.Short(name), err)
}

// libraryNames returns the words of a line before a comment. Words in quotes count as one.
func libraryNames(line string) (names []string) {
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
		end := strings.IndexAny(line, " \t")
		skip := 0
		if line[0] == '"' {
			line, skip = line[1:], 1
			end = strings.IndexByte(line, '"')
		}
		if end < 0 {
			end, skip = len(line), 0
		}
		if end > 0 {
			names = append(names, line[:end])
		}
		line = line[end+skip:]
	}
	return names
}

// readLibrary reads a file of materials, unless it was read already. name may be a path. If no file has this path,
// readLibrary tries the last part of the path.
func (r *reader) readLibrary(name string) error {
	name = strings.ReplaceAll(name, `\`, "/")
	if err, ok := r.materials.read[name]; ok || len(r.materials.read) == maxLibraries {
		return err
	}
	err := r.parseLibrary(name)
	r.materials.read[name] = err
	return err
}

func (r *reader) parseLibrary(name string) error {
	found, err := r.in.FindBeside(name)
	if err != nil && path.Base(name) != name {
		var other error
		if found, other = r.in.FindBeside(path.Base(name)); other == nil {
			name, err = path.Base(name), nil
		}
	}
	if err != nil || r.materials.parsed[found] {
		return err
	}
	file, err := r.in.OpenBeside(found)
	if err != nil {
		return err
	}
	defer file.Close()
	r.materials.parsed[found] = true
	return r.materials.parse(text.AsUTF8(io.LimitReader(file, maxLibraryBytes)), path.Dir(name))
}

// parse reads the materials of a file. It ignores statements that do not affect pictures.
func (m *materials) parse(r io.Reader, folder string) error {
	prefix := make([]byte, 4096)
	n, err := readFull(r, prefix)
	if err != nil && err != io.EOF {
		return err
	}
	lines := text.NewLines(prefix[:n], err == io.EOF, func(p []byte) (int, error) { return readFull(r, p) })
	mat := new(material) // for statements before the first newmtl, which are ignored
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			return err
		}
		// Some programs write the keywords in lower case.
		switch word := strings.ToLower(string(f.Word())); word {
		case "newmtl":
			mat = m.define(restAsName(&f), folder)
		case "kd":
			if v, ok := parseVector(&f); ok {
				mat.setColor(v)
			}
		case "d":
			if v, ok := f.Float(); ok {
				mat.alpha = v
			}
		case "tr":
			if v, ok := f.Float(); ok {
				mat.alpha = 1 - v
			}
		case "map_kd":
			mat.diffuse = parseTexture(&f)
		case "map_ka":
			mat.ambient = parseTexture(&f)
		case "map_d":
			mat.mask = parseTexture(&f)
		case "ke":
			mat.emission = parseEmission(&f)
		case "map_ke", "map_emissive":
			mat.glow = parseTexture(&f)
		default:
			mat.reflection.parse(word, &f)
		}
	}
}

// setColor sets the colour of Kd. Its components should be from 0 to 1. If a component is 2 or more, they are taken to
// be from 0 to 255, because no surface is twice as bright as white.
func (m *material) setColor(v [3]float64) {
	most := max(v[0], v[1], v[2])
	m.aboveOne = most > 1
	if most >= 2 && most <= 255 {
		m.color = indexed.RGB(v, 1)
		return
	}
	m.color = indexed.RGB(v, 255)
}

// peek returns the next word of a line. f is a copy, so the caller's position does not change.
func peek(f text.Fields) []byte { return f.Word() }

// readFull reads until p is full. If r ends before, the error is io.EOF.
func readFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
