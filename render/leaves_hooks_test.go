package render

import (
	"math/rand/v2"

	"lockstep/lb"
)

// SetLeaves makes a renderer decide by a policy whether it defers groups of triangles, of meshes of at least so many.
func SetLeaves(r *Renderer, policy lb.Policy, least int) {
	r.engine.options.Leaves, r.engine.leastDeferred = policy, least
}

// ShuffleLeaves makes the history of a renderer's deferred groups random.
func ShuffleLeaves(r *Renderer, random *rand.Rand) { r.engine.leaves.Shuffle(random.Uint32) }

// LeavesDeferred returns how many groups the last frame deferred, and how many of those it drew after all.
func LeavesDeferred(r *Renderer) (deferred, late int) {
	_, n, m := r.engine.leaves.Counted()
	return int(n), int(m)
}
