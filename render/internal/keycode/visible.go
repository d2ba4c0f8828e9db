package keycode

import "fmt"

// A Chooser finds the tiles of several layers that may be visible. A layer is one process's part of a frame. The
// Chooser's memory is used again from call to call.
type Chooser struct {
	tiles       []Tile
	hiddenBelow []uint32 // greatest Min of the layers' tiles, for each tile number; a tile with a smaller Max is hidden
}

// Visible returns the tiles of one tile row of all layers, except tiles that lie entirely behind a tile of another
// layer. rows holds the encoded tile row of each layer. n is the number of tiles in a tile row. The result is valid
// until the next call.
func (c *Chooser) Visible(rows [][]byte, n int) ([]Tile, error) {
	c.tiles = c.tiles[:0]
	for len(c.hiddenBelow) < n {
		c.hiddenBelow = append(c.hiddenBelow, 0)
	}
	clear(c.hiddenBelow)
	for _, row := range rows {
		last := -1
		for len(row) > 0 {
			tile, rest, err := Next(row)
			if err != nil {
				return nil, err
			}
			if tile.Number >= n || tile.Number <= last {
				return nil, fmt.Errorf("%w: tile %d of %d after %d", ErrMalformed, tile.Number, n, last)
			}
			last, row = tile.Number, rest
			c.tiles = append(c.tiles, tile)
			c.hiddenBelow[last] = max(c.hiddenBelow[last], tile.Min)
		}
	}
	visible := c.tiles[:0]
	for _, tile := range c.tiles {
		if tile.Max >= c.hiddenBelow[tile.Number] {
			visible = append(visible, tile)
		}
	}
	return visible, nil
}
