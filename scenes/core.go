package scenes

import (
	"context"
	"math"
	"slices"
)

const (
	// Core samples coreSamples triangles in each of coreSamples blocks. The median of these 4096 triangles is within
	// a few percent of the median of all triangles.
	coreSamples = 64
	// coreReach limits how far corners may be from the median of all corners. Its unit is the distance from the median
	// within which half of the corners lie. A picture that shows a corner beyond this limit is more than 500 times as
	// wide as the box around that half of the corners. If the picture is a thousand pixels wide, half of all corners
	// fall on two pixels.
	coreReach = 1000
)

// Core returns the box of the triangles that lie together, relative to the origin of src. far is the number of finite
// triangles that lie apart from them. Such triangles occur in damaged files. One flipped bit in an exponent can move
// a vertex so far away that a picture of the whole mesh shows nothing.
//
// Let m be the median of all corners along each axis. Let d be the distance from m within which half of the corners
// lie. The distance between two points is their greatest distance along any axis. A triangle lies apart if one of its
// corners is more than coreReach*d from m. If d is 0, the box is empty and far is 0.
//
// `whole` is the box of all finite corners. If no point of this box is more than coreReach*d from m, Core only reads a
// sample of 4096 triangles. Otherwise it makes a pass over all blocks on `workers` goroutines (GOMAXPROCS if workers is
// not positive).
func Core(ctx context.Context, src Source, whole Box, workers int) (box Box, far int, err error) {
	if err := checkNotNil(ctx, src); err != nil {
		return EmptyBox(), 0, err
	}
	corners, err := sampleCorners(src)
	if err != nil || len(corners[0]) == 0 {
		return EmptyBox(), 0, err
	}
	var middle [3]float64
	distances := make([]float64, len(corners[0])) // distance of each corner from the median
	for axis, values := range corners {
		middle[axis] = median(values)
		for i, v := range values {
			distances[i] = max(distances[i], math.Abs(v-middle[axis]))
		}
	}
	reach := coreReach * median(distances)
	if reach == 0 {
		return EmptyBox(), 0, nil
	}
	if greatestDistance(whole, middle) <= reach {
		return whole, 0, nil
	}
	near := func(corners [3][3]float32) (near, finite bool) {
		near, finite = true, true
		for _, p := range corners {
			for axis, v := range p {
				finite = finite && v-v == 0
				near = near && math.Abs(float64(v)-middle[axis]) <= reach
			}
		}
		return near, finite
	}
	box = EmptyBox()
	boxes := make([]Box, NumBlocks(src))
	counts := make([]int, len(boxes))
	err = ForEachBlock(ctx, src, workers, func(_, i int, b *Block) error {
		boxes[i] = EmptyBox()
		for t := range b.Len() {
			corners := b.Triangle(t)
			switch near, finite := near(corners); {
			case near:
				boxes[i].add(corners)
			case finite:
				counts[i]++
			}
		}
		return nil
	})
	if err != nil {
		return EmptyBox(), 0, err
	}
	for i := range boxes {
		box, far = box.Union(boxes[i]), far+counts[i]
	}
	return box, far, nil
}

// greatestDistance returns the greatest distance, along any axis, between the point `from` and a point of b.
func greatestDistance(b Box, from [3]float64) (far float64) {
	for axis, middle := range from {
		far = max(far, b.Max[axis]-middle, middle-b.Min[axis])
	}
	return far
}

// sampleCorners returns values[axis], the coordinates of the corners of triangles sampled evenly from all of src. It
// skips triangles that are not finite.
func sampleCorners(src Source) (values [3][]float64, err error) {
	var b Block
	blocks := NumBlocks(src)
	n := min(blocks, coreSamples)
	for i := range n {
		if err := src.ReadBlock(i*blocks/n, &b); err != nil {
			return values, err
		}
		m := min(b.Len(), coreSamples)
		for k := range m {
			corners := b.Triangle(k * b.Len() / m)
			if !areFinite(corners) {
				continue
			}
			for _, p := range corners {
				for axis := range p {
					values[axis] = append(values[axis], float64(p[axis]))
				}
			}
		}
	}
	return values, nil
}

func areFinite(corners [3][3]float32) bool {
	for _, p := range corners {
		for _, v := range p {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

// median returns the lower median of values, which must not be empty.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

func (b *Box) add(corners [3][3]float32) {
	for _, p := range corners {
		for axis, v := range p {
			b.Min[axis], b.Max[axis] = min(b.Min[axis], float64(v)), max(b.Max[axis], float64(v))
		}
	}
}
