package surface

import (
	"math"

	"lockstep/render/internal/kernel/light"
)

// vec is a vector of float32, each operation on which is rounded on its own. It is a
// struct because the compiler keeps those in registers, and arrays in memory.
type vec struct{ x, y, z float32 }

// of returns an array as a vector.
func of(a [3]float32) vec { return vec{a[0], a[1], a[2]} }

func (a vec) array() [3]float32 { return [3]float32{a.x, a.y, a.z} }

// from reads a vector from three columns of a batch.
func from(b *light.Batch, column, slot int) vec {
	return vec{b.Columns[column][slot], b.Columns[column+1][slot], b.Columns[column+2][slot]}
}

func (a vec) add(b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) scale(s float32) vec { return vec{float32(a.x * s), float32(a.y * s), float32(a.z * s)} }

func (a vec) times(b vec) vec { return vec{float32(a.x * b.x), float32(a.y * b.y), float32(a.z * b.z)} }

func (a vec) dot(b vec) float32 {
	return float32(float32(a.x*b.x)+float32(a.y*b.y)) + float32(a.z*b.z)
}

func (a vec) cross(b vec) vec {
	return vec{
		float32(a.y*b.z) - float32(a.z*b.y),
		float32(a.z*b.x) - float32(a.x*b.z),
		float32(a.x*b.y) - float32(a.y*b.x),
	}
}

// within returns a with each part from 0 to most, 0 for what is no number.
func (a vec) within(most float32) vec {
	return vec{min(positive(a.x), most), min(positive(a.y), most), min(positive(a.z), most)}
}

func (a vec) length() float32 { return sqrt(a.dot(a)) }

// unit returns a in length 1, or the zero vector where a has none.
func (a vec) unit() vec {
	l := a.length()
	if !(l > 0) {
		return vec{}
	}
	return a.scale(1 / l)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
