package save

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// SplitPacking splits a name of a packed file: "a.stl" and ".gz" of "a.stl.gz". Other
// names are returned whole.
func SplitPacking(name string) (rest, packing string) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".gz", ".zst":
		return name[:len(name)-len(ext)], ext
	}
	return name, ""
}

// Packed returns a writer that packs what it is given as the extension says, into w; an
// empty one packs nothing. Close ends the packed data and leaves w open.
func Packed(w io.Writer, extension string) (io.WriteCloser, error) {
	switch extension {
	case "":
		return unpacked{w}, nil
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w)
	}
	return nil, fmt.Errorf("packing %q: expected .gz or .zst", extension)
}

type unpacked struct{ io.Writer }

func (unpacked) Close() error { return nil }
