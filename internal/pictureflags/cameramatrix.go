package pictureflags

import (
	"encoding/json"
	"fmt"
	"io"

	"lockstep/render"
	"lockstep/render/recipe"
)

// convention is a text in camera files that explains their matrices.
const convention = "pixel = K (R X + t), X in coordinates of the mesh's file; axes of the camera: x right, y down, z forward (OpenCV); the middle of the upper left pixel is 0,0; orthographic: with 1 in the place of the depth"

// A cameraMatrix is a camera in the form of computer vision. The files of --camera and --camera-json contain it.
type cameraMatrix struct {
	Convention string         `json:"convention,omitempty"`
	Size       *[2]int        `json:"size,omitempty"` // size of the picture in pixels
	K          *[3][3]float64 `json:"K,omitempty"`
	Fx         float64        `json:"fx,omitempty"` // can be given in place of K
	Fy         float64        `json:"fy,omitempty"`
	Cx         *float64       `json:"cx,omitempty"`
	Cy         *float64       `json:"cy,omitempty"`
	R          *[3][3]float64 `json:"R,omitempty"`
	T          *[3]float64    `json:"t,omitempty"`
	// Axes are positions of the mesh's axes in pixels, see axesOf. They help people and programs that draw over the
	// picture.
	Axes json.RawMessage `json:"axes,omitempty"`
}

// hasMatrix reports whether the file contains a camera matrix.
func (c *cameraFile) hasMatrix() bool { return c.K != nil || c.Fx != 0 || c.R != nil || c.T != nil }

// matrix returns the camera matrix of the file.
func (c *cameraFile) matrix() (m recipe.Matrix, err error) {
	if c.Size == nil {
		return m, fmt.Errorf("camera: expected the size of pictures in pixels: \"size\": [1920, 1080]")
	}
	m.Width, m.Height, m.Orthographic = c.Size[0], c.Size[1], c.Projection == "orthographic"
	switch {
	case c.R == nil || c.T == nil:
		return m, fmt.Errorf("camera: expected R and t beside K")
	case c.K != nil:
		m.K = *c.K
	case c.Fx == 0 || c.Fy == 0 || c.Cx == nil || c.Cy == nil:
		return m, fmt.Errorf("camera: expected fx, fy, cx and cy, or K")
	default:
		m.K = [3][3]float64{{c.Fx, 0, *c.Cx}, {0, c.Fy, *c.Cy}, {0, 0, 1}}
	}
	m.R, m.T = *c.R, *c.T
	return m, nil
}

// checkMatrix returns an error if the camera matrix is incomplete or impossible.
func (c *cameraFile) checkMatrix() error {
	m, err := c.matrix()
	if err == nil {
		if _, err = m.Camera(); err != nil {
			err = fmt.Errorf("camera: %w", err)
		}
	}
	return err
}

// fillMatrix copies the camera matrix into the camera of a recipe. The picture may have another size than the file
// states. In that case, fillMatrix keeps the vertical field of view and the relative position of the optical axis.
func (c *cameraFile) fillMatrix(to *recipe.Camera) {
	m, err := c.matrix()
	if err != nil {
		panic("render: a camera that was not checked: " + err.Error())
	}
	camera, err := m.Camera()
	if err != nil {
		panic("render: a camera that was not checked: " + err.Error())
	}
	*to = camera
}

// WriteCamera writes the camera of a picture as JSON.
func WriteCamera(out io.Writer, p recipe.Picture, in *recipe.Input, cam *render.Camera) error {
	size := p.Full().Size
	m := recipe.MatrixOf(cam, in.Source.Info().Origin, size)
	c := p.CameraOf(in, cam)
	file := struct {
		Eye        *recipe.Point `json:"eye"`
		Target     *recipe.Point `json:"target"`
		Up         *recipe.Point `json:"up"`
		FOV        float64       `json:"fov,omitempty"`
		Height     float64       `json:"height,omitempty"`
		Zoom       float64       `json:"zoom,omitempty"`
		Projection string        `json:"projection"`
		Shift      [2]float64    `json:"shift"`
		cameraMatrix
	}{
		Eye: c.Eye, Target: c.Target, Up: c.Upward, FOV: c.Fov, Height: c.Height, Zoom: c.Zoom, Projection: c.Projection, Shift: c.Shift,
		cameraMatrix: cameraMatrix{
			Convention: convention, Size: &[2]int{m.Width, m.Height}, K: &m.K, R: &m.R, T: &m.T, Axes: axesOf(&m, in),
		},
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", recipe.FlatLists(string(text)))
	}
	return err
}

// axesOf returns the positions of four points in pixels. The first point is the centre of the mesh's box. The others
// lie from the centre along the axes x, y and z, at a distance of half the longest side of the box. A point behind
// the eye is null.
func axesOf(m *recipe.Matrix, in *recipe.Input) json.RawMessage {
	size := in.Box.Size()
	length := max(size[0], size[1], size[2]) / 2
	middle := in.Box.Center()
	for axis, o := range in.Source.Info().Origin {
		middle[axis] += o
	}
	pixels := map[string]any{"length": length, "point": middle}
	for i, name := range []string{"x", "y", "z", "middle"} {
		at := middle
		if i < 3 {
			at[i] += length
		}
		pixels[name] = nil
		if pixel, ok := m.Pixel(at); ok {
			pixels[name] = pixel
		}
	}
	text, _ := json.Marshal(pixels) // no error, because pixels holds only numbers and names
	return text
}
