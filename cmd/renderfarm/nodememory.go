package main

import (
	"os"
	"runtime"

	"lockstep/render/recipe"
	"lockstep/scenes/procedural"
)

// bytesPerTriangle is an estimate of the size of a triangle in a file. A triangle takes 50 bytes in binary STL. It
// takes fewer bytes in files with shared vertices. Such files hold more triangles than estimated here.
const bytesPerTriangle = 50

// nodesInMemory returns how many of n nodes fit into memory, but at least one. available is the free memory in bytes,
// or 0 if unknown. The parameter node is the number of bytes that one node needs. The command itself needs as much as a
// node, because it reads the mesh and compares frames.
func nodesInMemory(n int, available, node int64) int {
	if available <= 0 || node <= 0 {
		return n
	}
	return max(1, min(n, int(available/node)-1))
}

// nodeMemory estimates the bytes that each of n nodes needs to draw an animation, before its mesh is read.
func nodeMemory(a *recipe.Animation, workers, n int) int64 {
	if workers == 0 {
		workers = workersPerNode(n)
	}
	r := a.Requires(likelyTriangles(&a.Picture))
	return r.Memory + int64(workers-1)*r.PerWorker
}

// workersPerNode returns the number of workers of each of n nodes that share the cores.
func workersPerNode(n int) int { return max(1, runtime.GOMAXPROCS(0)/n) }

// likelyTriangles estimates the number of triangles of a picture's meshes from the sizes of their files. A mesh that
// cannot be found counts as 0. The error is reported when the mesh is read.
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
