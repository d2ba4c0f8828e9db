package surface

import (
	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
)

// aheadKey is the key under which Ahead stores decoded pictures for an input. A picture is identified by the address of
// the first byte of its data.
type aheadKey struct{}

type decodedAhead map[*byte]decodeResult

func newAhead() decodedAhead { return decodedAhead{} }

// Ahead decodes several pictures in parallel. It stores them until Decode asks for them. Decode then checks and
// counts each picture as if Decode had decoded the picture itself. held is the number of bytes that the reader itself
// holds.
//
// Ahead does nothing if the pictures may not fit into memory together. It also does nothing if the header of a
// picture is damaged or claims too many pixels.
func Ahead(in *format.Input, pictures [][]byte, held int64) {
	for _, data := range pictures {
		config, err := decodeConfig(data)
		w, h := int64(config.Width), int64(config.Height)
		if err != nil || w <= 0 || h <= 0 || w > maxPixels || h > maxPixels || w*h > maxClaim(data) {
			return
		}
		held += int64(len(data)) + 8*w*h
		if in.Allow(0, held) != nil {
			return
		}
	}
	done := make([]decodeResult, len(pictures))
	workers := parallel.Workers(in.Options.Workers, len(pictures))
	if parallel.For(in.Context(), workers, len(pictures), func(_, i int) error {
		done[i].picture, done[i].err = decode(pictures[i])
		return nil
	}) != nil {
		return
	}
	all := format.Once(in, aheadKey{}, newAhead)
	for i, data := range pictures {
		all[&data[0]] = done[i]
	}
}

// takeDecoded returns the picture that Ahead has decoded, or its error, and removes it. If Ahead has not decoded it,
// takeDecoded does.
func takeDecoded(in *format.Input, data []byte) decodeResult {
	all := format.Once(in, aheadKey{}, newAhead)
	d, ok := all[&data[0]]
	delete(all, &data[0])
	if !ok {
		d.picture, d.err = decode(data)
	}
	return d
}

// maxClaim returns how many pixels a file with the given data may claim to have.
func maxClaim(data []byte) int64 { return min(maxPixels, freePixels+perByte*int64(len(data))) }
