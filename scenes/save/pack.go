package save

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// SplitPacking splits the name of a packed file: "a.stl.gz" into "a.stl" and ".gz". packing is empty for other names.
func SplitPacking(name string) (rest, packing string) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".gz", ".zst":
		return name[:len(name)-len(ext)], ext
	}
	return name, ""
}

// Packed returns a writer that packs data and writes it to w. extension, such as ".gz", selects the packing; if it is
// empty, the data is not packed. Close ends the packed data but does not close w.
func Packed(w io.Writer, extension string) (io.WriteCloser, error) {
	switch extension {
	case "":
		return nopWriteCloser{w}, nil
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w)
	}
	return nil, fmt.Errorf("packing %q: expected .gz or .zst", extension)
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
