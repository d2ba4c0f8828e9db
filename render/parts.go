package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/render/internal/parts"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// A window is the range of pixel rows that a frame computes: all rows of the picture, or the rows of a part and the
// neighbouring rows that their light depends on. Inside the renderer, rows are counted from the window's top.
type window struct {
	top, height int
	// pictureTop is the row of the window at which the Picture begins. pictureHeight is the number of rows of the
	// Picture.
	pictureTop, pictureHeight int
	// maxKeys is the largest number of keys that a window for a part of this height may have. (At the picture's top or
	// bottom, a window has fewer rows.) Private frames get memory for maxKeys keys at once. If they grew later, their
	// old memory would become garbage.
	maxKeys int
}

// Part draws a part of a frame into pic, or into p.Layer. Programs call package render/part instead, which explains
// the parts.
func (r *Renderer) Part(ctx context.Context, source scenes.Source, cam Camera, p parts.Part, pic *Picture) (Stats, error) {
	start := time.Now()
	err := r.lock()
	if err != nil {
		return Stats{}, fmt.Errorf("%s: %w", p.Name(), err)
	}
	defer r.unlock()
	var stats Stats
	if err = r.engine.checkPart(ctx, source, &p, pic); err == nil {
		stats, err = r.engine.run(ctx, source, &cam, framePart{picture: pic, Part: p})
	}
	if err != nil {
		return Stats{}, fmt.Errorf("%s: %w", p.Name(), err)
	}
	if p.Rows != nil {
		stats.Seconds.Frame = time.Since(start)
	}
	return stats, nil
}

// checkPart returns an error if the part cannot be drawn. If the part is a layer, it also sizes the layer.
func (e *engine) checkPart(ctx context.Context, source scenes.Source, p *parts.Part, pic *Picture) error {
	switch {
	case p.Layer != nil:
		return e.checkLayer(ctx, source, p)
	case pic == nil || p.Strip != nil && p.Strip.Layers == nil:
		return errors.New("expected a picture and, to light rows of layers, the layers")
	case p.Strip != nil:
		if own := p.Strip.Own; own.Lo < 0 || own.Hi > e.layout.TilesY || own.Len() < 0 {
			return fmt.Errorf("tile rows %d to %d: expected rows from 0 to %d", own.Lo, own.Hi, e.layout.TilesY)
		}
	case p.Rows != nil:
		lo, hi, height := p.Rows[0], p.Rows[1], e.options.Height
		if lo < 0 || hi <= lo || hi > height || lo%tile.Height != 0 || hi%tile.Height != 0 && hi != height {
			return fmt.Errorf("pixel rows %d to %d of %d: expected multiples of %d", lo, hi, height, tile.Height)
		}
	}
	return nil
}

// checkLayer checks a part that is a layer, see checkPart. It also sizes the layer.
func (e *engine) checkLayer(ctx context.Context, source scenes.Source, p *parts.Part) error {
	if err := sources.Check(ctx, source); err != nil {
		return err
	}
	n := sources.Blocks(source, e.options.BlockSize)
	for _, b := range p.Blocks {
		if b < 0 || b >= n {
			return fmt.Errorf("block %d: expected 0 to %d", b, n-1)
		}
	}
	l := p.Layer
	for len(l.Rows) < e.layout.TilesY {
		l.Rows, l.Samples = append(l.Rows, nil), append(l.Samples, 0)
	}
	l.Rows, l.Samples = l.Rows[:e.layout.TilesY], l.Samples[:e.layout.TilesY]
	return nil
}
