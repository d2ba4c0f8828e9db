package save

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// SplitPacking splits the name of a packed file: "a.stl.gz" into "a.stl" and ".gz". For other names packing is empty.
func SplitPacking(name string) (rest, packing string) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".gz", ".zst":
		return name[:len(name)-len(ext)], ext
	}
	return name, ""
}

// Packed returns a writer that packs data, by the extension of a packing, and writes it to w. If the extension is
// empty, it does not pack. Close ends the packed data but does not close w.
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
