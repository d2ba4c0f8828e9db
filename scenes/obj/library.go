package obj

import (
	"bufio"
	"fmt"
	"image/png"
	"io"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A Folder is where Write creates the files beside a mesh: a file of materials, and the pictures of textures.
type Folder struct {
	// Name is the beginning of the names of all files.
	Name string
	// Create creates a file, which Write closes. name does not contain a folder.
	Create func(name string) (io.WriteCloser, error)
}

// Library reports whether Write puts the materials of the mesh into a file beside the mesh. Write does not do so if
// vertices have colours, because readers do not combine colours of vertices with materials.
func Library(m *scenes.Mesh) bool {
	a := m.Attributes
	return a != nil && a.MaterialOf != nil && !a.Colors.Has()
}

// materialNames returns a unique name without line breaks for each material.
func materialNames(materials []scenes.Material) []string {
	names := make([]string, 0, len(materials))
	taken := make(map[string]bool, len(materials))
	for i := range materials {
		name := strings.TrimSpace(string(text.AppendLine(nil, materials[i].Name)))
		name = name[:min(len(name), text.MaxName-20)]
		if name == "" || taken[name] {
			name = strings.TrimSpace(fmt.Sprintf("%s %d", name, i))
		}
		for taken[name] {
			name += "'"
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

// writeLibrary writes the materials of a mesh and their textures.
func (p *printer) writeLibrary(to *Folder) (err error) {
	f, err := to.Create(to.Name + ".mtl")
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	w := bufio.NewWriter(f)
	pictures := make(map[*uint8]string)
	for i := range p.attributes.Materials {
		if err := p.writeMaterial(w, to, i, pictures); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeMaterial writes material i. It writes Kd in sRGB, because most programs read it so. pictures holds the file
// names of the pictures written so far, by the address of their first byte.
func (p *printer) writeMaterial(w *bufio.Writer, to *Folder, i int, pictures map[*uint8]string) error {
	m := &p.attributes.Materials[i]
	row := text.AppendLine(append([]byte(nil), "newmtl "...), p.names[i])
	row = append(row, "\nKd"...)
	for _, v := range m.BaseColor[:3] {
		row = strconv.AppendFloat(append(row, ' '), float64(surface.SRGB(v))/255, 'g', 4, 64)
	}
	if m.Emission != ([3]float32{}) {
		row = append(row, "\nKe"...)
		for _, v := range m.Emission {
			row = strconv.AppendFloat(append(row, ' '), float64(v), 'g', -1, 32)
		}
	}
	row = appendFinish(row, m.Finish)
	if m.Alpha == scenes.AlphaBlend {
		row = strconv.AppendFloat(append(row, "\nd "...), float64(m.BaseColor[3]), 'g', -1, 32)
	}
	row = append(row, '\n')
	for _, kind := range []struct {
		word    string
		texture *scenes.Texture
	}{{"map_Kd ", m.Texture}, {"map_Ke ", m.Glow}, {"norm ", reliefOfFinish(m.Finish)}} {
		x := kind.texture
		if x == nil || len(x.Picture.Pix) == 0 || x.Second || x.Placement != nil {
			continue
		}
		name, ok := pictures[&x.Picture.Pix[0]]
		if !ok {
			name = fmt.Sprintf("%s-%d.png", to.Name, len(pictures)+1)
			pictures[&x.Picture.Pix[0]] = name
			if err := writePicture(to, name, x); err != nil {
				return err
			}
		}
		row = append(row, kind.word...)
		if x.WrapU == scenes.Clamp && x.WrapV == scenes.Clamp {
			row = append(row, "-clamp on "...)
		}
		row = append(text.AppendLine(row, name), '\n')
	}
	_, err := w.Write(row)
	return err
}

func writePicture(to *Folder, name string, x *scenes.Texture) error {
	f, err := to.Create(name)
	if err != nil {
		return err
	}
	err = png.Encode(f, x.Picture)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
