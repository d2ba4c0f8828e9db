package scenes

import (
	"bytes"
	"context"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zip"

	"lockstep/scenes/internal/text"
)

// packedExtensions end names of packed meshes.
var packedExtensions = map[string]bool{".gz": true, ".zst": true, ".zip": true}

// Named reports whether a name ends as those of meshes do, packed ones among them: a.stl, b.OBJ.gz.
func Named(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if packedExtensions[ext] {
		ext = strings.ToLower(path.Ext(name[:len(name)-len(ext)]))
	}
	return meshExtensions[ext]
}

// Recognise reports whether a regular file is a mesh in one of the formats, or holds one, judged by its
// first bytes. It is for folders of all kinds of files: what only might be a mesh, such as any numbers in
// binary, is none. A file that cannot be read is none either.
func Recognise(ctx context.Context, name string, formats ...Format) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return false
	}
	in, err := newInput(ctx, f, ReadOptions{Name: name})
	return err == nil && in.recognised(formats)
}

// recognised reports whether the input is a mesh or is packed around one.
func (in *Input) recognised(formats []Format) bool {
	switch kind := packing(in.Prefix); {
	case kind == "zip":
		return in.listsMesh()
	case kind != "" && opens(in.Prefix, kind):
		inner, err := in.unpack(formats)
		if err != nil {
			return false
		}
		if inner.packed.close != nil {
			defer inner.packed.close()
		}
		return inner.recognised(formats)
	}
	doc := bytes.TrimLeft(text.TrimBOM(in.Prefix), " \t\r\n")
	if bytes.HasPrefix(doc, []byte("{")) && !(bytes.Contains(doc, []byte(`"asset"`)) && bytes.Contains(doc, []byte(`"accessors"`))) {
		return false // JSON of other programs has single words of glTF
	}
	for _, f := range formats {
		if f.Detect(in.Prefix, in.Size) >= Likely {
			return true
		}
	}
	return false
}

// listsMesh reports whether the directory of an archive names a mesh, or the model of a 3MF file. Packages
// of office programs look like 3MF files by their first bytes.
func (in *Input) listsMesh() bool {
	at, size, err := in.whole()
	if err != nil {
		return false
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return false
	}
	for _, f := range archive.File {
		if candidate(f) && (meshExtensions[strings.ToLower(path.Ext(f.Name))] || strings.EqualFold(path.Ext(f.Name), ".model")) {
			return true
		}
	}
	return false
}
