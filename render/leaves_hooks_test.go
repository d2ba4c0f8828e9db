package render

import (
	"math/rand/v2"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/scenes"
)

// SetLeaves sets the policy by which a renderer defers groups of triangles. Meshes with fewer than the given number of
// triangles have no groups.
func SetLeaves(r *Renderer, policy lb.Policy, least int) {
	r.options.Leaves, r.engine.options.Leaves, r.engine.minDeferred = policy, policy, least
}

// ShuffleLeaves makes the history of a renderer's deferred groups random. In half of the bundles, all groups have the
// same history.
func ShuffleLeaves(r *Renderer, random *rand.Rand) {
	n, same, last := 0, false, uint32(0)
	r.engine.leaves.RewriteHistory(func(uint32) uint32 {
		first := n%groups.Bundle == 0
		if first {
			same = random.Uint32()%2 == 0
		}
		if n++; first || !same {
			last = random.Uint32()
		}
		return last
	})
}

// InvertLeaves replaces the history of groups: groups that were not seen for more than four frames count as just seen,
// and others as not seen for seven frames.
func InvertLeaves(r *Renderer) {
	r.engine.leaves.RewriteHistory(func(frames uint32) uint32 {
		if frames > 4 {
			return 0
		}
		return 7
	})
}

// LeavesDeferred returns the number of groups that the last frame deferred, and how many of those were drawn after all.
func LeavesDeferred(r *Renderer) (deferred, late int) {
	_, n, m := r.engine.leaves.Counts()
	return int(n), int(m)
}

// Ordered returns the sorted copy of a surface's triangles.
func Ordered(s *Surface) *scenes.Block { return s.groups.ordered.Mesh }

// IsPacked reports whether the groups of a surface are packed.
func IsPacked(s *Surface) bool { return s.groups.groups.Packed() }
