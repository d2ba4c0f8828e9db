package main

import (
	"os"
	"runtime"

	"lockstep/render/recipe"
	"lockstep/scenes/procedural"
)

// bytesPerTriangle is what a triangle takes in a file at most as a rule: 50 bytes of binary STL. Meshes with shared
// vertices take less, and then a mesh is larger than is assumed here.
const bytesPerTriangle = 50

// nodesInMemory returns for how many of n nodes memory suffices, at least one. Each takes node bytes, and the command,
// which reads the mesh and compares frames, as much as one of them. available is 0 where it is unknown.
func nodesInMemory(n int, available, node int64) int {
	if available <= 0 || node <= 0 {
		return n
	}
	return max(1, min(n, int(available/node)-1))
}

// nodeMemory estimates the bytes that each of n nodes takes to draw an animation, before its mesh is read.
func nodeMemory(a *recipe.Animation, workers, n int) int64 {
	if workers == 0 {
		workers = workersOfNode(n)
	}
	r := a.Requires(likelyTriangles(&a.Picture))
	return r.Memory + int64(workers-1)*r.PerWorker
}

// workersOfNode returns how many workers each of n nodes has if the cores are divided among them.
func workersOfNode(n int) int { return max(1, runtime.GOMAXPROCS(0)/n) }

// likelyTriangles guesses how many triangles the meshes of a picture have, by the sizes of their files. Meshes that
// cannot be found have none: reading them will say so.
func likelyTriangles(p *recipe.Picture) (n int) {
	for _, m := range p.Meshes {
		if scene, err := procedural.Parse(m.File); err == nil {
			n += scene.Len()
		} else if info, err := os.Stat(m.File); err == nil {
			n += int(info.Size() / bytesPerTriangle)
		}
	}
	return n
}
