package recipe

import (
	"testing"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
)

// A fixedMemory has room for a given number of bytes in addition to a picture without eye-dome light. Only Lacks may be
// called.
type fixedMemory struct {
	Memory
	free int64
}

func (m fixedMemory) Lacks(o render.Options, more ...int64) *Shortage {
	if sum := budget.Sum(more); sum > m.free || o.EyeDome {
		return &Shortage{Resource: "memory", Need: sum, Have: m.free}
	}
	return nil
}

// TestLacksPacked checks that groups of a surface are left unpacked if the user's limit does not suffice for the mesh,
// its normals and the packed groups together, or if packed groups alone do not fit into the memory that is left.
func TestLacksPacked(t *testing.T) {
	const n = 1 << 19
	packed := footprint.Packed(n)
	all := packed + budget.MeshBytes(n) + footprint.Surface(n)
	large := &render.Surface{Mesh: &scenes.Mesh{Block: scenes.MakeBlock(n)}}
	small := &render.Surface{Mesh: &scenes.Mesh{Block: scenes.MakeBlock(n - 1)}}
	for name, c := range map[string]struct {
		surface *render.Surface
		most    int64 // limit of the user; 0 means none
		memory  Memory
		lacks   bool
	}{
		"no limits":                         {large, 0, nil, false},
		"enough":                            {large, all, fixedMemory{free: packed}, false},
		"a limit of one byte less":          {large, all - 1, nil, true},
		"a limit, but free memory":          {large, all - 1, fixedMemory{free: packed}, true},
		"memory of one byte less":           {large, 0, fixedMemory{free: packed - 1}, true},
		"memory of one byte less, limit":    {large, all, fixedMemory{free: packed - 1}, true},
		"a small mesh, which is not packed": {small, 1, fixedMemory{free: -1}, false},
	} {
		g := &Drawing{drawer: &Drawer{Read: scenes.ReadOptions{MaxMemory: c.most}, Memory: c.memory}}
		if got := g.lacksPacked(c.surface, render.Options{EyeDome: true}); got != c.lacks {
			t.Errorf("%s: lacks memory: %v, want %v", name, got, c.lacks)
		}
	}
}
