package obj

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// materials holds the colours of the materials that were read.
type materials struct {
	colors map[string]uint32
	read   map[string]bool // the files that were looked for
}

// color returns the colour of a material.
func (m *materials) color(name string) uint32 {
	if rgb, ok := m.colors[name]; ok {
		return rgb
	}
	return indexed.NoColor
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
		return r.Warn.Add(r.place(), "materials %s: %s", text.Short(whole), strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// readLibrary reads a file of materials, unless it was read before.
func (r *reader) readLibrary(name string) error {
	if r.materials.read[name] || len(r.materials.read) == maxLibraries {
		return nil
	}
	if r.materials.read == nil {
		r.materials = materials{colors: make(map[string]uint32), read: make(map[string]bool)}
	}
	r.materials.read[name] = true
	file, err := r.in.OpenBeside(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return r.materials.parse(io.LimitReader(file, maxLibraryBytes))
}

// parse reads the colours of a file of materials: what else is in it does not
// matter here.
func (m *materials) parse(r io.Reader) error {
	prefix := make([]byte, 4096)
	n, err := fill(r, prefix)
	if err != nil && err != io.EOF {
		return err
	}
	lines := text.NewLines(prefix[:n], err == io.EOF, func(p []byte) (int, error) { return fill(r, p) })
	material := ""
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			return err
		}
		switch word := f.Word(); string(word) {
		case "newmtl":
			material = name(&f)
		case "Kd":
			if v, ok := vector(&f); ok {
				m.colors[material] = indexed.RGB(v, 255)
			}
		}
	}
}

// fill reads until p is full.
func fill(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
