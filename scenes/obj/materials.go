package obj

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// materials holds the materials that were read.
type materials struct {
	byName map[string]*material
	read   map[string]bool // the files that were looked for
}

// A material is one of a file of materials.
type material struct {
	color   uint32  // Kd as sRGB; indexed.NoColor without one
	alpha   float64 // d
	texture string  // name of the file map_Kd; empty: none
	wrap    scenes.Wrap
	folder  string // that the file of materials is in
	number  int    // see indexed.Polygon; 0: has not been in use
}

// use makes a material that of the faces that follow. One that is not known has no
// colour.
func (r *reader) use(name string) error {
	r.color, r.polygon.Material = indexed.NoColor, 0
	mat := r.materials.byName[name]
	if mat == nil {
		return nil
	}
	if mat.number == 0 && r.Detailed() {
		m := scenes.Material{Name: name, BaseColor: [4]float32{1, 1, 1, 1}}
		if mat.texture != "" {
			var err error
			if m.Texture, err = r.texture(mat); err != nil {
				return err
			}
		}
		// Many programs write black where a texture has the colours.
		if mat.color != indexed.NoColor && (m.Texture == nil || mat.color != 0) {
			m.BaseColor = surface.BaseColor(mat.color, 1)
		}
		// Nothing is to be seen at 0: the program meant 1.
		if mat.alpha > 0 && mat.alpha < 1 {
			m.BaseColor[3], m.Alpha = float32(mat.alpha), scenes.AlphaBlend
		}
		mat.number = r.AddMaterial(m)
	}
	r.color, r.polygon.Material = mat.color, mat.number
	return nil
}

// texture reads the texture of a material; nil, and a warning, if it cannot be read.
func (r *reader) texture(mat *material) (*scenes.Texture, error) {
	picture, err := surface.DecodeBeside(r.in, mat.folder, mat.texture, r.Held())
	if err != nil {
		return nil, surface.Missing(r.in, r.Warn, r.place(), "texture "+text.Short(mat.texture), err)
	}
	return &scenes.Texture{Name: mat.texture, Picture: picture, WrapU: mat.wrap, WrapV: mat.wrap}, nil
}

// The limits of material files, far above any that a program writes: they are
// read into memory.
const (
	maxLibraries    = 64
	maxLibraryBytes = 16 << 20
)

// library reads the materials of the files that an "mtllib" line names: one
// whose name may have spaces in it, or else a file a word.
func (r *reader) library(f *text.Fields) error {
	whole := name(f)
	err := r.readLibrary(whole)
	if words := strings.Fields(whole); errors.Is(err, fs.ErrNotExist) && len(words) > 1 {
		err = nil
		for _, word := range words {
			err = errors.Join(err, r.readLibrary(word))
		}
	}
	if err != nil {
		return surface.Missing(r.in, r.Warn, r.place(), "materials "+text.Short(whole), err)
	}
	return nil
}

// readLibrary reads a file of materials, unless it was read before.
func (r *reader) readLibrary(name string) error {
	if r.materials.read[name] || len(r.materials.read) == maxLibraries {
		return nil
	}
	if r.materials.read == nil {
		r.materials = materials{byName: make(map[string]*material), read: make(map[string]bool)}
	}
	r.materials.read[name] = true
	file, err := r.in.OpenBeside(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return r.materials.parse(io.LimitReader(file, maxLibraryBytes), path.Dir(strings.ReplaceAll(name, `\`, "/")))
}

// parse reads the colours and textures of a file of materials: what else is in it
// does not matter here.
func (m *materials) parse(r io.Reader, folder string) error {
	prefix := make([]byte, 4096)
	n, err := fill(r, prefix)
	if err != nil && err != io.EOF {
		return err
	}
	lines := text.NewLines(prefix[:n], err == io.EOF, func(p []byte) (int, error) { return fill(r, p) })
	mat := new(material) // of lines before the first name
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			return err
		}
		// Some programs write the words in lower case.
		switch word := f.Word(); strings.ToLower(string(word)) {
		case "newmtl":
			mat = &material{color: indexed.NoColor, alpha: 1, folder: folder}
			m.byName[name(&f)] = mat
		case "kd":
			if v, ok := vector(&f); ok {
				mat.color = indexed.RGB(v, 255)
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
			mat.texture, mat.wrap = textureName(&f)
		}
	}
}

// textureName parses what follows map_Kd: options, which begin with a minus sign
// and have numbers or one word behind them, and a name that may have spaces in it.
// Of the options -clamp alone counts.
func textureName(f *text.Fields) (file string, wrap scenes.Wrap) {
	for f.More() && peek(*f)[0] == '-' {
		switch option := string(f.Word()); option {
		case "-mm", "-o", "-s", "-t", "-bm", "-boost", "-texres":
			for {
				if _, ok := f.Float(); !ok {
					break
				}
			}
		case "-clamp":
			if string(f.Word()) == "on" {
				wrap = scenes.Clamp
			}
		case "-blendu", "-blendv", "-cc", "-imfchan", "-type", "-colorspace":
			f.Word()
		}
	}
	return strings.Trim(name(f), `"`), wrap
}

// peek returns the next word of a line.
func peek(f text.Fields) []byte { return f.Word() }

// fill reads until p is full.
func fill(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
