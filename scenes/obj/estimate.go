package obj

import (
	"bytes"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// An OBJ file does not state how large its mesh is. Therefore the size is estimated from samples of the file. If it is
// far above the limit, the file is refused before it is read.

const (
	samples    = 32
	sampleSize = 8 << 10
	// doubt is a ratio. A file is refused if the estimate exceeds the limit by more than this factor.
	doubt = 2
)

// checkMemory returns a *scenes.LimitError if samples of the file show that its mesh far exceeds the limit for memory.
func checkMemory(in *format.Input) error {
	limit := in.Options.MaxMemory
	if limit <= 0 || !in.Seekable() || in.Size < 4*samples*sampleSize {
		return nil
	}
	held := int64(0)
	buf := make([]byte, sampleSize)
	for i := range int64(samples) {
		if err := in.ReadAt(buf, (in.Size-sampleSize)*i/(samples-1)); err != nil {
			return err
		}
		held += memoryFor(buf)
	}
	return in.Allow(0, held*(in.Size/(samples*sampleSize))/doubt)
}

// memoryFor returns the number of bytes that the mesh needs for the vertices and faces of a sample. It counts only
// complete lines.
func memoryFor(sample []byte) (held int64) {
	const vertex, triangle = 24, 12 + scenes.TriangleBytes
	for {
		_, rest, ok := bytes.Cut(sample, []byte{'\n'})
		if !ok || bytes.IndexByte(rest, '\n') < 0 {
			return held
		}
		switch {
		case bytes.HasPrefix(rest, []byte("v ")):
			held += vertex
		case bytes.HasPrefix(rest, []byte("f ")):
			held += triangle
		}
		sample = rest
	}
}
