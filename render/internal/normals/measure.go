package normals

import (
	"math"

	"lockstep/render/internal/float3"
	kernel "lockstep/render/internal/kernel/shape"
	"lockstep/vp/isa"
)

// shapeLoop returns the vector loop that measures triangles on this processor, or nil if there is none. All loops give
// the same bits as welder.shapeOf.
func shapeLoop() kernel.Loop {
	level, err := isa.Select("auto")
	if err != nil {
		return nil
	}
	return kernel.Select(level)
}

// measure computes the shapes (normal and weights) of triangles, beginning with triangle `first`, and unpacks their
// normals.
func (w *welder) measure(shapes []shape, first int) {
	done := 0
	if w.loop != nil {
		done = w.measureSome(shapes, first)
	}
	for i := range shapes[done:] {
		s := w.shapeOf(first + done + i)
		s.normal = Unpack(s.packed)
		shapes[done+i] = s
	}
}

// measureSome is like measure, but uses the vector loop. It returns the number of triangles that it has measured. It
// leaves out triangles at the end that do not fill a vector.
func (w *welder) measureSome(shapes []shape, first int) (done int) {
	b, ok := w.batches.Get().(*kernel.Batch)
	if !ok {
		b = new(kernel.Batch)
	}
	defer w.batches.Put(b)
	for done < len(shapes) {
		n := w.loop(&w.block.X, &w.block.Y, &w.block.Z, first+done, min(len(shapes)-done, kernel.Capacity), w.scale, b)
		if n == 0 {
			break
		}
		some := shapes[done : done+n]
		for i := range some {
			some[i] = shape{
				normal:  float3.New(b[kernel.Normal][i], b[kernel.Normal+1][i], b[kernel.Normal+2][i]),
				weights: [3]float32{b[kernel.Weight][i], b[kernel.Weight+1][i], b[kernel.Weight+2][i]},
				packed:  math.Float32bits(b[kernel.Packed][i]),
			}
		}
		done += n
	}
	return done
}
