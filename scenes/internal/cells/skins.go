package cells

import (
	"math"
	"slices"
)

// skinBytes is the memory in bytes of a two-dimensional cell while it is compared with the faces of volumes.
const skinBytes = 64

// dropSkins drops two-dimensional cells that are faces of volumes. The surfaces of the volumes already show such
// cells.
func (b *builder) dropSkins() error {
	g := b.g
	flat, solid := 0, false
	for _, t := range g.Types {
		flat += boolToInt(kinds[t].dimension == 2 && kinds[t].corners > 0)
		solid = solid || kinds[t].dimension == 3
	}
	if flat == 0 || !solid {
		return nil
	}
	if err := b.In.Allow(0, b.Held+b.mesh.Held()+skinBytes*int64(flat)); err != nil {
		return err
	}
	seen := make(map[key]bool, flat) // for each cell, whether it is a face of a volume
	of := func(c int) (k key) {
		k[3] = math.MaxUint32
		n := copy(k[:], g.cellCorners(c)[:kinds[g.Types[c]].corners])
		slices.Sort(k[:n])
		return k
	}
	for c, t := range g.Types {
		if kinds[t].dimension == 2 && kinds[t].corners > 0 {
			seen[of(c)] = false
		}
	}
	var room [16]uint32
	g.visitFaces(func(face uint64, _ uint32) {
		k := g.faceKey(face, room[:0])
		if _, ok := seen[k]; ok {
			seen[k] = true
		}
	})
	for c, t := range g.Types {
		if kinds[t].dimension == 2 && kinds[t].corners > 0 && seen[of(c)] {
			g.Types[c] = Dropped
		}
	}
	return nil
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
