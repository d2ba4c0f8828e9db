package budget

import (
	"lockstep/render"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

const (
	// WorkerBytes is what a worker needs besides its frame: its block of triangles, polygons and spans, and a strip of
	// the picture that it encodes.
	WorkerBytes = 3 << 20
	// ReaderBytes is what each worker of a reader needs for what it has read.
	ReaderBytes = 512 << 10
	// CommonBytes is what a picture needs whatever its size.
	CommonBytes = 4 << 20
)

// PictureBytes returns the bytes of the finished picture and of its depths.
func PictureBytes(o render.Options) int64 {
	perPixel := int64(4)
	if o.Depth {
		perPixel += 4 + 2
	}
	return perPixel * int64(o.Width) * int64(o.Height)
}

// Drawing returns the bytes of each allocation that drawing with this number of workers needs, without the mesh.
func Drawing(o render.Options, workers int) []int64 {
	frame, err := o.FrameBytes()
	if err != nil { // render.New says what is wrong
		frame = 8 * int64(o.Samples) * int64(o.Width) * int64(o.Height)
	}
	frame += 2 * hugepages.Size // to begin and end with whole pages
	all := []int64{CommonBytes, PictureBytes(o)}
	for range workers {
		all = append(all, WorkerBytes, frame)
	}
	return all
}

// Mesh returns the bytes of a mesh of so many triangles that is kept in memory, at most.
func Mesh(triangles int) int64 {
	return int64(triangles) * (scenes.TriangleBytes + scenes.ColorBytes)
}

// Sum returns the sum of numbers.
func Sum(numbers []int64) (all int64) {
	for _, n := range numbers {
		all += n
	}
	return all
}
