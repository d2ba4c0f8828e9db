package render

import (
	"math/rand/v2"

	"lockstep/lb"
)

// SetLeaves makes a renderer decide by a policy whether it defers groups of triangles, of meshes of at least so many.
func SetLeaves(r *Renderer, policy lb.Policy, least int) {
	r.engine.options.Leaves, r.engine.minDeferred = policy, least
}

// ShuffleLeaves makes the history of a renderer's deferred groups random.
func ShuffleLeaves(r *Renderer, random *rand.Rand) {
	r.engine.leaves.Rewrite(func(uint32) uint32 { return random.Uint32() })
}

// InvertLeaves makes hidden groups those that a renderer saw a frame ago, and the others those that it did not see for long.
func InvertLeaves(r *Renderer) {
	r.engine.leaves.Rewrite(func(frames uint32) uint32 {
		if frames > 4 {
			return 0
		}
		return 7
	})
}

// LeavesDeferred returns how many groups the last frame deferred, and how many of those it drew after all.
func LeavesDeferred(r *Renderer) (deferred, late int) {
	_, n, m := r.engine.leaves.Counts()
	return int(n), int(m)
}
