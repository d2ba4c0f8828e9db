package visible

import (
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
)

// TestPages stores rows in pages that are reused by each frame, and checks that the rows are unchanged at the end of a
// frame.
func TestPages(t *testing.T) {
	var pool Pool
	for frame := range 4 {
		pool.Begin(100, 2)
		for _, page := range pool.pages {
			if !page.HasRoom(100 - array.Lanes) {
				t.Fatalf("frame %d: a page has no room for what it had", frame)
			}
		}
		var rows [20]Rows
		var page *Page
		for i := range rows {
			if page == nil || !page.HasRoom(16) {
				page = pool.Take()
			}
			page.Begin(&rows[i], 4, make([]float32, 4), nil)
			rows[i].Add(keysOf(i, frame), 8, 2, 0, 4)
			rows[i].EndRow()
			page.End(&rows[i])
		}
		for i := range rows {
			var want Rows
			want.Begin(4, nil)
			want.Add(keysOf(i, frame), 8, 2, 0, 4)
			want.EndRow()
			want.End()
			if !slices.Equal(rows[i].Triangles, want.Triangles) || !slices.Equal(rows[i].Places, want.Places) || !slices.Equal(rows[i].Nearness, want.Nearness) {
				t.Fatalf("frame %d: row %d is %+v, want %+v", frame, i, rows[i], want)
			}
		}
		if frame > 0 && len(pool.pages) != pool.maxUsed+2 {
			t.Errorf("%d pages, want two more than the %d that were used", len(pool.pages), pool.maxUsed)
		}
	}
	if pool.Begin(200, 1); len(pool.pages) != 0 || !pool.Take().HasRoom(180) {
		t.Error("pages are smaller than they should be")
	}
}

// keysOf returns the keys of four pixels of four samples each, two rows of eight.
func keysOf(row, frame int) []uint64 {
	keys := make([]uint64, 16)
	for i := range keys {
		if i%5 != row%5 {
			keys[i] = 1<<62 | uint64(row*100+frame*7+i/(1+row%3))
		}
	}
	return keys
}
