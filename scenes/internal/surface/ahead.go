package surface

import (
	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
)

// aheadKey is the key of pictures that Ahead decoded, by the first byte of their files.
type aheadKey struct{}

type ahead map[*byte]decoded

func newAhead() ahead { return ahead{} }

// Ahead decodes several pictures at once, which Decode then has when they are asked for: it checks and counts them as if
// they were decoded there. Where there may be no room for all, or one claims too much, nothing is done. held is how many
// bytes the reader holds besides.
func Ahead(in *format.Input, pictures [][]byte, held int64) {
	for _, data := range pictures {
		config, err := decodeConfig(data)
		w, h := int64(config.Width), int64(config.Height)
		if err != nil || w <= 0 || h <= 0 || w > maxPixels || h > maxPixels || w*h > claimable(data) {
			return
		}
		held += int64(len(data)) + 8*w*h
		if in.Allow(0, held) != nil {
			return
		}
	}
	done := make([]decoded, len(pictures))
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

// take returns what Ahead made of the bytes of a picture, once, or decodes them.
func take(in *format.Input, data []byte) decoded {
	all := format.Once(in, aheadKey{}, newAhead)
	d, ok := all[&data[0]]
	delete(all, &data[0])
	if !ok {
		d.picture, d.err = decode(data)
	}
	return d
}

// claimable returns how many pixels a file may claim to have.
func claimable(data []byte) int64 { return min(maxPixels, freePixels+perByte*int64(len(data))) }
