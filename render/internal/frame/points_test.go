package frame

import (
	"slices"
	"testing"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/tile"
)

// touched is a target that records the marked tiles.
type touched struct {
	framebuffer.Target
	tiles [][4]int
}

func (t *touched) RowKeys() int32                { return 64 * tile.Width }
func (t *touched) TouchTiles(x0, x1, y0, y1 int) { t.tiles = append(t.tiles, [4]int{x0, x1, y0, y1}) }

// TestTouchSpans checks that the tiles of points are marked one by one if the points are far apart.
func TestTouchSpans(t *testing.T) {
	const keys = 64 * tile.Width
	o := &cloud.Output{Spans: &array.Spans{N: 2, Start: []uint32{
		(3*tile.Height+1)*keys + 5*tile.Width + 2, (40*tile.Height)*keys + 60*tile.Width}},
		MinX: 5*tile.Width + 2, MaxX: 60 * tile.Width, MinY: 3*tile.Height + 1, MaxY: 40 * tile.Height}
	var to touched
	touchSpans(&to, o)
	if want := [][4]int{{5, 5, 3, 3}, {60, 60, 40, 40}}; !slices.Equal(to.tiles, want) {
		t.Errorf("marked %v, want %v", to.tiles, want)
	}
}

// TestPointColors checks that each colour channel uses its own table.
func TestPointColors(t *testing.T) {
	c := PointColors{Colors: []uint32{0, 0x030201}}
	c.Table[0][3], c.Table[1][2], c.Table[2][1] = 0x10, 0x200, 0x30000
	s := &array.Spans{N: 1, Payload: []uint32{0}}
	if c.SetPointPayloads(s, 1); s.Payload[0] != 0x30210 {
		t.Errorf("payload %#x, want 0x30210", s.Payload[0])
	}
}
