package main

import (
	"runtime"
	"time"

	"github.com/fogleman/fauxgl"
)

// A shader shades triangles flat, as Lockstep does. fauxgl calls Vertex for every corner and Fragment for every pixel.
type shader struct {
	matrix fauxgl.Matrix
	eye    fauxgl.Vector
}

func (s *shader) Vertex(v fauxgl.Vertex) fauxgl.Vertex {
	v.Output = s.matrix.MulPositionW(v.Position)
	return v
}

func (s *shader) Fragment(v fauxgl.Vertex) fauxgl.Color {
	d := v.Normal.Dot(s.eye.Sub(v.Position).Normalize())
	if d < 0 {
		d = -d
	}
	c := 0.6038 * (0.15 + 0.85*d)
	return fauxgl.Color{R: c, G: c, B: c, A: 1}
}

// fauxglMesh returns a copy of the mesh for fauxgl.
func fauxglMesh(s *subject) *fauxgl.Mesh {
	triangles := make([]*fauxgl.Triangle, s.mesh.Len())
	for t := range triangles {
		var v [3]fauxgl.Vector
		for k, c := range s.mesh.Triangle(t) {
			v[k] = fauxgl.V(float64(c[0]), float64(c[1]), float64(c[2]))
		}
		triangles[t] = fauxgl.NewTriangleForPoints(v[0], v[1], v[2])
	}
	return fauxgl.NewTriangleMesh(triangles)
}

// clipMatrix returns the matrix from positions to the clip coordinates of fauxgl and OpenGL, row by row.
func clipMatrix(s *subject) [16]float64 {
	c := &s.cam
	row := func(axis [3]float64, scale float64) [4]float64 {
		at := axis[0]*c.Eye[0] + axis[1]*c.Eye[1] + axis[2]*c.Eye[2]
		return [4]float64{axis[0] * scale, axis[1] * scale, axis[2] * scale, -at * scale}
	}
	x := row(c.Right, 2*c.Magnification*height/width)
	y := row(c.Up, 2*c.Magnification)
	w := row(c.Forward, 1)
	// The clip coordinate z is (f+n)/(f-n)*w - 2*f*n/(f-n). n and f are the distances of the near and the far plane.
	a, b := (c.Far+c.Near)/(c.Far-c.Near), -2*c.Far*c.Near/(c.Far-c.Near)
	return [16]float64{
		x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3],
		a * w[0], a * w[1], a * w[2], a*w[3] + b, w[0], w[1], w[2], w[3],
	}
}

func fauxglContext(s *subject, cull bool) *fauxgl.Context {
	m := clipMatrix(s)
	ctx := fauxgl.NewContext(width, height)
	ctx.Cull = fauxgl.CullNone
	if cull {
		ctx.Cull = fauxgl.CullBack
	}
	ctx.Shader = &shader{
		matrix: fauxgl.Matrix{
			X00: m[0], X01: m[1], X02: m[2], X03: m[3], X10: m[4], X11: m[5], X12: m[6], X13: m[7],
			X20: m[8], X21: m[9], X22: m[10], X23: m[11], X30: m[12], X31: m[13], X32: m[14], X33: m[15],
		},
		eye: fauxgl.V(s.cam.Eye[0], s.cam.Eye[1], s.cam.Eye[2]),
	}
	return ctx
}

// fauxglFrames returns the times of fauxgl on one core in two modes: with both faces, and with back faces culled.
func fauxglFrames(s *subject, frames int) (all []timing) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	mesh := fauxglMesh(s)
	for _, mode := range []string{"both", "culled"} {
		ctx := fauxglContext(s, mode == "culled")
		t := timing{who: "fauxgl", mode: mode, seconds: 1e9}
		for range frames {
			start := time.Now()
			ctx.ClearColorBufferWith(fauxgl.Transparent)
			ctx.ClearDepthBuffer()
			ctx.DrawMesh(mesh)
			t.seconds = min(t.seconds, time.Since(start).Seconds())
		}
		for i := 3; i < len(ctx.ColorBuffer.Pix); i += 4 {
			if ctx.ColorBuffer.Pix[i] != 0 {
				t.covered++
			}
		}
		all = append(all, t)
	}
	return all
}
