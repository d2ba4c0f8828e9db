package nbody

import "testing"

// TestEdges checks that the strips along the edges lie at the walls, are as long as the box, and have an area.
func TestEdges(t *testing.T) {
	for dim, want := range map[int]int{2: 8, 3: 48} {
		strips := boxEdges(2, dim)
		if len(strips) != want {
			t.Errorf("%d dimensions: %d triangles, want %d", dim, len(strips), want)
		}
		for _, s := range strips {
			walls, spread := 0, [3]float32{}
			for a := range 3 {
				lo, hi := min(s[0][a], s[1][a], s[2][a]), max(s[0][a], s[1][a], s[2][a])
				spread[a] = hi - lo
				if hi < 0.01 || lo > 1.99 {
					walls++
				}
				if dim == 2 && a == 1 && (lo != 0 || hi != 0) {
					t.Errorf("%v leaves the plane", s)
				}
			}
			if walls != 2 || max(spread[0], spread[1], spread[2]) != 2 {
				t.Errorf("%v is no edge", s)
			}
		}
	}
}
