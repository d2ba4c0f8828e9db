package surface

import "math"

// vec is a vector of float32, each operation on which is rounded on its own.
type vec [3]float32

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) scale(s float32) vec {
	return vec{float32(a[0] * s), float32(a[1] * s), float32(a[2] * s)}
}

func (a vec) times(b vec) vec {
	return vec{float32(a[0] * b[0]), float32(a[1] * b[1]), float32(a[2] * b[2])}
}

func (a vec) dot(b vec) float32 {
	return float32(float32(a[0]*b[0])+float32(a[1]*b[1])) + float32(a[2]*b[2])
}

func (a vec) cross(b vec) vec {
	return vec{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
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
