package render

import (
	"math/rand/v2"

	"lockstep/lb"
)

// SetLeaves sets the policy by which a renderer defers groups of triangles, and the least number of triangles of meshes
// with groups.
func SetLeaves(r *Renderer, policy lb.Policy, least int) {
	r.engine.options.Leaves, r.engine.minDeferred = policy, least
}

// ShuffleLeaves makes the history of a renderer's deferred groups random.
func ShuffleLeaves(r *Renderer, random *rand.Rand) {
	r.engine.leaves.Rewrite(func(uint32) uint32 { return random.Uint32() })
}

// InvertLeaves replaces the history of groups: groups that were not seen for more than four frames count as just seen,
// and others as not seen for seven frames.
func InvertLeaves(r *Renderer) {
	r.engine.leaves.Rewrite(func(frames uint32) uint32 {
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
