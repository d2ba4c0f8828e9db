package groups

import (
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp/hugepages"
)

// packedGroups holds the groups of a mesh in packed form: each vertex of a group is stored once. Packed groups take
// less than half the memory of the triangles. Frames that spend most of their time reading memory become faster.
type packedGroups struct {
	tasks  [][]uint32 // words of packedTask groups each, see leaves.PackedWords
	at     []uint32   // start of each group in its task, in words
	counts []uint8    // number of vertices of each group
}

// packedTask is the number of groups that are packed in one task. The words of a task fill about two huge pages.
const packedTask = 4096

// usualVertices is a number of vertices that few groups exceed.
const usualVertices = leaves.GroupTriangles * 3 / 2

// Pack makes the packed groups of a mesh in memory. The function run must call do for tasks 0 to n-1, and may call do
// concurrently. Frames that are being drawn are not disturbed.
func (g *Groups) Pack(run func(n int, do func(task int))) {
	tasks := (g.Len() + packedTask - 1) / packedTask
	p := &packedGroups{tasks: make([][]uint32, tasks), at: make([]uint32, g.Len()), counts: make([]uint8, g.Len())}
	run(tasks, func(task int) {
		var packer leaves.Packer
		// Groups of most meshes have hardly more vertices than triangles. Memory that is not touched costs nothing.
		groups := min(packedTask, g.Len()-task*packedTask)
		words := hugepages.Make[uint32](groups * leaves.PackedWords(usualVertices))[:0]
		for i := task * packedTask; i < min((task+1)*packedTask, g.Len()); i++ {
			p.at[i] = uint32(len(words))
			words = packer.Append(words, g.Mesh, i*Size, min((i+1)*Size, g.Mesh.Len()))
			p.counts[i] = uint8(len(packer.Vertices()))
		}
		p.tasks[task] = words
	})
	g.packed.Store(p)
}

// PackedBytes is the largest mean memory of a packed triangle, in bytes, in meshes for which WorthPacking returns true.
const PackedBytes = 4 * (3*usualVertices + 3*Size/4) / Size

// WorthPacking reports whether groups of a mesh in memory have at most usualVertices vertices on average. With more
// vertices, packed groups take as much memory as the triangles, and geometry.Small, which finds triangles that cover no
// sample, finds hardly any. WorthPacking examines only some of the groups.
func (g *Groups) WorthPacking() bool {
	const some = 64
	var packer leaves.Packer
	var words []uint32
	n, vertices := min(some, g.Len()), 0
	for i := range n {
		k := int(int64(i) * int64(g.Len()) / int64(n))
		words = packer.Append(words[:0], g.Mesh, k*Size, min((k+1)*Size, g.Mesh.Len()))
		vertices += len(packer.Vertices())
	}
	return vertices <= n*usualVertices
}

// Packed reports whether each vertex of a group is stored once, in memory or in a file.
func (g *Groups) Packed() bool { return g.Stored != nil || g.packed.Load() != nil }

// eachRun is like Stored.EachRun, for groups in memory or in a file. If the groups are in memory, the entries of list
// after those of a run hold the groups of the next run, so that geometry.Small can prefetch them.
func (g *Groups) eachRun(groups []int32, list []leaves.Group, scratch *scenes.Block, visit func(run []int32, packed []leaves.Group)) error {
	if g.Stored != nil {
		return g.Stored.EachRun(groups, list, scratch, visit)
	}
	p, filled := g.packed.Load(), 0
	for len(groups) > 0 {
		n, ahead := min(len(groups), len(list)), min(len(groups), cap(list))
		all := list[:ahead]
		for i := filled; i < ahead; i++ {
			k := groups[i]
			all[i] = leaves.Group{Words: p.tasks[k/packedTask][p.at[k]:], Vertices: int(p.counts[k])}
		}
		visit(groups[:n], list[:n])
		filled = copy(all, all[n:])
		groups = groups[n:]
	}
	return nil
}

const (
	// maxRun is the largest number of groups in a run.
	maxRun = 64
	// maxWaiting is the largest number of groups that a Sieve gathers before Collect must examine them. The first
	// groups that a call of Collect examines are not prefetched, so Collect should be called seldom.
	maxWaiting = 512
)
