package budget

import (
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

// PictureFiles is how many files a command that draws a picture may have open in addition to the standard files:
//
//   - the mesh, the picture, its depths, a trace and a lock
//   - a folder, and an old file that is being removed
//   - two files of the Go runtime's poller
//   - three in reserve
const PictureFiles = 12

const (
	// WorkerBytes is the memory in bytes that a worker needs besides its frame: for triangles, polygons and spans, and
	// for the rows of the picture that it encodes.
	WorkerBytes = 3 << 20
	// ReaderBytes is the memory in bytes that each worker of a reader needs for data that it has read.
	ReaderBytes = 512 << 10
	// CommonBytes is the memory in bytes that any picture needs.
	CommonBytes = 4 << 20
)

// PictureBytes returns the size in bytes of the finished picture. It includes the depths if the options request them.
func PictureBytes(o render.Options) int64 {
	perPixel := int64(4)
	if o.Depth {
		perPixel += 4 + 2
	}
	return perPixel * int64(o.Width) * int64(o.Height)
}

// DrawingBytes returns the sizes in bytes of the allocations for drawing with this number of workers, without the mesh.
func DrawingBytes(o render.Options, workers int) []int64 {
	frame, err := footprint.Frame(o)
	if err != nil { // render.New returns the same error
		frame = 8 * int64(o.Samples) * int64(o.Width) * int64(o.Height)
	}
	frame += 2 * hugepages.Size // a frame is rounded up to whole huge pages at both ends
	all := []int64{CommonBytes, PictureBytes(o) + footprint.Lit(o)}
	for range workers {
		all = append(all, WorkerBytes, frame)
	}
	return all
}

// MeshBytes returns the maximum size in bytes of a mesh with this number of triangles in memory.
func MeshBytes(triangles int) int64 {
	return int64(triangles) * (scenes.TriangleBytes + scenes.ColorBytes)
}

// Sum returns the sum of numbers.
func Sum(numbers []int64) (all int64) {
	for _, n := range numbers {
		all += n
	}
	return all
}
