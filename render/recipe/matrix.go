package recipe

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe/internal/numbers"
)

// A Matrix is a camera as computer vision programs describe it: in homogeneous coordinates, K (R X + T) is the pixel of
// a point X in coordinates of the file. The axes of the camera are the axes of OpenCV, with x to the right, y down and
// z forward, and the middle of the upper left pixel is 0,0. For an orthographic camera, the depth in R X + T is
// replaced by 1.
type Matrix struct {
	Width, Height int           // size of pictures in pixels
	K             [3][3]float64 // fx 0 cx, 0 fy cy, 0 0 1, in pixels
	R             [3][3]float64 // rows are the axes of the camera
	T             [3]float64    // translation, in units of the mesh
	Orthographic  bool
}

// MatrixOf returns the matrix of a camera for pictures of the given size. origin is the origin of the mesh.
func MatrixOf(cam *render.Camera, origin [3]float64, size Size) Matrix {
	m := Matrix{Width: size.Width, Height: size.Height, Orthographic: cam.Orthographic}
	h := float64(size.Height)
	focal := cam.Magnification * h
	m.K = [3][3]float64{{focal, 0, float64(size.Width-1)/2 + cam.ShiftX*h}, {0, focal, (h-1)/2 - cam.ShiftY*h}, {0, 0, 1}}
	eye := cam.Eye.Add(mgl64.Vec3(origin))
	for i, axis := range []mgl64.Vec3{cam.Right, cam.Up.Mul(-1), cam.Forward} {
		m.R[i] = axis
		m.T[i] = -axis.Dot(eye)
	}
	return m
}

// Pixel returns the place in the picture of a point x in coordinates of the file. ok is false if the point is not in
// front of the eye.
func (m *Matrix) Pixel(x [3]float64) (pixel [2]float64, ok bool) {
	var c [3]float64
	for i := range c {
		c[i] = mgl64.Vec3(m.R[i]).Dot(x) + m.T[i]
	}
	depth := c[2]
	if m.Orthographic {
		depth = 1
	}
	if !(depth > 0) {
		return pixel, false
	}
	return [2]float64{m.K[0][0]*c[0]/depth + m.K[0][2], m.K[1][1]*c[1]/depth + m.K[1][2]}, true
}

// squareTolerance is how much the ratio of the two focal lengths may differ from 1. Only square pixels are drawn.
const squareTolerance = 1e-3

// rotationTolerance is how far R may differ from a rotation. It is needed because files store matrices with few digits.
const rotationTolerance = 1e-4

// Camera returns the recipe's camera that has this matrix in pictures of size Width by Height. It returns an error if
// no camera of a recipe has this matrix.
func (m *Matrix) Camera() (Camera, error) {
	k, h := &m.K, float64(m.Height)
	fx, fy := k[0][0], k[1][1]
	switch {
	case m.Width < 1 || m.Height < 1:
		return Camera{}, fmt.Errorf("expected the size of pictures in pixels")
	case !(fx > 0 && fy > 0) || !numbers.Finite(fx) || !numbers.Finite(fy) || !numbers.Finite(k[0][2]) || !numbers.Finite(k[1][2]):
		return Camera{}, fmt.Errorf("the matrix K: expected fx and fy above 0, and finite cx and cy")
	case math.Abs(fx/fy-1) > squareTolerance:
		return Camera{}, fmt.Errorf("the matrix K: fx %g and fy %g: expected one length, for square pixels", fx, fy)
	case k[0][1] != 0 || k[1][0] != 0 || k[2] != [3]float64{0, 0, 1}:
		return Camera{}, fmt.Errorf("the matrix K: expected [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]")
	}
	right, down, forward := mgl64.Vec3(m.R[0]), mgl64.Vec3(m.R[1]), mgl64.Vec3(m.R[2])
	if off := right.Cross(down).Sub(forward).Len(); !(off < rotationTolerance) || !(math.Abs(right.Len()-1) < rotationTolerance) || !(math.Abs(right.Dot(down)) < rotationTolerance) {
		return Camera{}, fmt.Errorf("the matrix R: expected a rotation: three rows of length 1, at right angles, right-handed")
	}
	t := mgl64.Vec3(m.T)
	if !numbers.Finite(t[0]) || !numbers.Finite(t[1]) || !numbers.Finite(t[2]) {
		return Camera{}, fmt.Errorf("t: expected three finite numbers")
	}
	eye := right.Mul(-t[0]).Add(down.Mul(-t[1])).Add(forward.Mul(-t[2]))
	target := eye.Add(forward.Mul(max(1, eye.Len()))) // not much farther away than the mesh, so that no digits are lost
	up := down.Mul(-1)
	c := Camera{Eye: (*Point)(&eye), Target: (*Point)(&target), Upward: (*Point)(&up)}
	c.Shift = [2]float64{(k[0][2] - float64(m.Width-1)/2) / h, ((h-1)/2 - k[1][2]) / h}
	if m.Orthographic {
		c.Projection, c.Height = "orthographic", h/fy
	} else {
		c.Fov = 2 * math.Atan(h/(2*fy)) * 180 / math.Pi
	}
	return c, nil
}
