package kernel

import "math"

// Ambient and Diffuse make the intensity of a flat polygon under a headlight:
// Ambient + Diffuse*|n.v|.
const (
	Ambient = 0.15
	Diffuse = 0.85
)

// ShadeSteps is the number of steps of intensity, and of linear light, that a
// Shader's tables resolve: with 4096 the steps near black are below one step of
// 8-bit sRGB (12.92*255/4095 = 0.8).
const ShadeSteps = 4096

// A Shader turns intensities into payloads. Payloads are sRGB colours with
// R in the lowest byte and 255 in the highest, the byte order of a pixel.
type Shader struct {
	uniform [ShadeSteps]uint32 // by intensity, for Base
	encode  [ShadeSteps]uint8  // sRGB by linear light
	linear  [256]float32       // linear light times ShadeSteps-1 by sRGB
	encoder *encoder8
}

// NewShader returns a shader whose base colour is the sRGB colour 0x00RRGGBB.
func NewShader(base uint32) *Shader {
	s := &Shader{encoder: newEncoder8()}
	for i := range s.encode {
		s.encode[i] = s.encoder.encode(float64(i) / (ShadeSteps - 1))
	}
	for i := range s.linear {
		s.linear[i] = float32(DecodeSRGB(float64(i)/255) * (ShadeSteps - 1))
	}
	s.SetBase(base)
	return s
}

// SetBase changes the base colour.
func (s *Shader) SetBase(base uint32) {
	clear(s.uniform[:])
	for channel, shift := range []int{16, 8, 0} { // R into the lowest byte
		linear := DecodeSRGB(float64(base>>shift&255) / 255)
		s.encoder.begin()
		for i := range s.uniform {
			x := float64(i) / (ShadeSteps - 1)
			s.uniform[i] |= 0xff<<24 | uint32(s.encoder.encode(float64(x*linear)))<<(8*channel)
		}
	}
}

// Shade replaces the intensities of all polygons by payloads. colors holds the sRGB
// colour of every triangle of the block, or is nil where all have the base colour. It
// may be called once.
func Shade(s *Shader, p *Polygons, colors []uint32) {
	for n, i := range p.Intensities()[:p.N] {
		if colors != nil {
			p.Payload[n] = s.FlatColored(i, colors[p.Source[n]])
		} else {
			p.Payload[n] = s.Flat(i)
		}
	}
}

// Flat returns the payload of a triangle with the base colour.
func (s *Shader) Flat(intensity float32) uint32 {
	return s.uniform[step(intensity)]
}

// FlatColored returns the payload of a triangle with its own sRGB colour
// 0x00RRGGBB.
func (s *Shader) FlatColored(intensity float32, color uint32) uint32 {
	channel := func(c uint32) uint32 {
		return uint32(s.encode[int32(float32(intensity*s.linear[c&255])+0.5)])
	}
	return channel(color>>16) | channel(color>>8)<<8 | channel(color)<<16 | 0xff<<24
}

// step rounds an intensity in [0, 1] to a table index.
func step(intensity float32) int32 {
	return int32(float32(intensity*(ShadeSteps-1)) + 0.5)
}

// point is a position in the space of q.
type point struct{ x, y, z float32 }

// intensity lights the triangle abc from the eye: Ambient + Diffuse*|n.v|, with
// n its normal and v the direction from its centroid to the eye. A triangle so
// small that its normal underflows is lit as if seen edge-on.
func (v *View) intensity(a, b, c point) float32 {
	ux, uy, uz := b.x-a.x, b.y-a.y, b.z-a.z
	wx, wy, wz := c.x-a.x, c.y-a.y, c.z-a.z
	nx := float32(uy*wz) - float32(uz*wy)
	ny := float32(uz*wx) - float32(ux*wz)
	nz := float32(ux*wy) - float32(uy*wx)
	ex, ey, ez := v.Eye[0], v.Eye[1], v.Eye[2]
	if !v.Orthographic {
		// Three times the way from the centroid: the length cancels below.
		ex -= float32(float32(a.x+b.x) + c.x)
		ey -= float32(float32(a.y+b.y) + c.y)
		ez -= float32(float32(a.z+b.z) + c.z)
	}
	nn := dot(nx, ny, nz, nx, ny, nz)
	ee := dot(ex, ey, ez, ex, ey, ez)
	cos := float32(math.Abs(float64(dot(nx, ny, nz, ex, ey, ez)))) / float32(math.Sqrt(float64(float32(nn*ee))))
	if !(cos > 0) { // also when it is 0/0
		cos = 0
	}
	return Ambient + float32(Diffuse*min(cos, 1))
}

func dot(ax, ay, az, bx, by, bz float32) float32 {
	return float32(float32(ax*bx)+float32(ay*by)) + float32(az*bz)
}
