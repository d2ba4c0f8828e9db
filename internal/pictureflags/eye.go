package pictureflags

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
	"lockstep/render/recipe"
)

// eyeFlags are the flags that place the camera by points in coordinates of the mesh's file.
type eyeFlags struct {
	Eye          *pointFlag   `group:"view" placeholder:"X,Y,Z" help:"Where the eye is, in coordinates of the file; --view and --fit are ignored."`
	Target       *pointFlag   `group:"view" placeholder:"X,Y,Z" help:"The point in the middle of the picture, with --eye (the middle of the mesh)."`
	CameraUp     *pointFlag   `group:"view" placeholder:"X,Y,Z" help:"The direction that is up in the picture, with --eye (the up axis)."`
	CameraHeight positiveFlag `group:"view" placeholder:"H" help:"Height of an orthographic picture in units of the mesh, with --eye (as it fits)."`
	CameraShift  pairFlag     `group:"view" placeholder:"X,Y" help:"Where the axis of the camera meets the picture, with --eye: distances to the right of the middle and above it, in heights of the picture."`
	Camera       Path         `group:"view" placeholder:"FILE" help:"The camera of a PNG that render made, or of a JSON file: eye, target and, if wanted, up, fov, zoom, projection and height; or fx, fy, cx, cy or K, R and t of OpenCV, and the size of pictures."`

	file *cameraFile // content of --camera
}

func (f *eyeFlags) check() error {
	switch {
	case (f.Target != nil || f.CameraUp != nil) && f.Eye == nil:
		return cli.Usagef("--target and --camera-up want --eye")
	case f.Camera == "":
		return nil
	case f.Eye != nil:
		return cli.Usagef("--camera and --eye: expected one of them")
	}
	var err error
	f.file, err = readCamera(string(f.Camera))
	return err
}

// IsCameraPlaced reports whether the user has placed the camera.
func (f *eyeFlags) IsCameraPlaced() bool { return f.Eye != nil || f.file != nil }

// A pointFlag is a point in space.
type pointFlag recipe.Point

// Decode implements kong.MapperValue.
func (f *pointFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, len(f))
	if !ok {
		return fmt.Errorf("%q: expected X,Y,Z", s)
	}
	copy(f[:], v)
	return nil
}

// A cameraFile is a camera in a JSON file. Flags give the values of missing fields.
type cameraFile struct {
	Eye        *jsonPoint `json:"eye"`
	Target     *jsonPoint `json:"target"`
	Up         *jsonPoint `json:"up"` // direction that is up in the picture
	FOV        float64    `json:"fov"`
	Zoom       float64    `json:"zoom"`
	Projection string     `json:"projection"`
	Height     float64    `json:"height"` // height of an orthographic picture, in mesh units
	Shift      [2]float64 `json:"shift"`
	cameraMatrix
}

// maxCameraBytes limits how many bytes of a camera file are read.
const maxCameraBytes = 1 << 20

// readCamera reads a camera from a JSON file or from a PNG file that render made.
func readCamera(name string) (*cameraFile, error) {
	head, err := smallfile.ReadPrefix(name, maxCameraBytes)
	if err != nil {
		return nil, cli.Inputf("--camera %s: %w", name, FileCause(err))
	}
	c := new(cameraFile)
	if bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) {
		err = c.readPNG(head)
	} else {
		err = readJSON(head, c)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, cli.Inputf("--camera %s: %w", name, err)
	}
	return c, nil
}

// readPNG reads the camera from the text chunk Camera of a PNG file.
func (c *cameraFile) readPNG(file []byte) error {
	r := bytes.NewReader(file[8:])
	for {
		kind, data, err := ReadChunk(r)
		if err != nil || kind == "IDAT" {
			return fmt.Errorf("a picture without a camera")
		}
		if text, ok := bytes.CutPrefix(data, []byte("Camera\x00")); kind == "tEXt" && ok {
			return c.parseChunk(string(text))
		}
	}
}

// parseChunk reads the text of a Camera chunk.
func (c *cameraFile) parseChunk(text string) error {
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		ok := true
		switch key {
		case "eye", "target", "up":
			var v []float64
			if v, ok = recipe.Numbers(value, 3); ok {
				*map[string]**jsonPoint{"eye": &c.Eye, "target": &c.Target, "up": &c.Up}[key] = (*jsonPoint)(v)
			}
		case "shift":
			var v []float64
			if v, ok = recipe.Numbers(value, 2); ok {
				c.Shift = [2]float64(v)
			}
		case "fov", "zoom", "height":
			v, err := strconv.ParseFloat(value, 64)
			ok = err == nil
			*map[string]*float64{"fov": &c.FOV, "zoom": &c.Zoom, "height": &c.Height}[key] = v
		case "projection":
			c.Projection = value
		}
		if !ok {
			return fmt.Errorf("camera: %s: expected numbers", key)
		}
	}
	return nil
}

// check returns an error if a value of the camera is missing or wrong.
func (c *cameraFile) check() error {
	switch {
	case c.Eye == nil && c.hasMatrix():
		return c.checkMatrix()
	case c.Eye == nil || c.Target == nil:
		return fmt.Errorf("camera: expected eye and target")
	case c.Projection != "" && c.Projection != "perspective" && c.Projection != "orthographic":
		return fmt.Errorf("camera: projection %q: expected perspective or orthographic", c.Projection)
	case c.FOV != 0 && !(recipe.MinFov <= c.FOV && c.FOV <= recipe.MaxFov):
		return fmt.Errorf("camera: fov %g: expected %v to %v degrees", c.FOV, recipe.MinFov, recipe.MaxFov)
	case !(c.Zoom >= 0 && c.Zoom <= math.MaxFloat64) || !(c.Height >= 0 && c.Height <= math.MaxFloat64):
		return fmt.Errorf("camera: zoom and height: expected numbers above 0")
	case c.Height > 0 && c.Projection != "orthographic":
		return fmt.Errorf("camera: height is for the orthographic projection")
	}
	return nil
}

// fillCamera copies the camera of the file into the camera of a recipe. If the file lacks a value, the recipe's value
// is not changed.
func (c *cameraFile) fillCamera(to *recipe.Camera) {
	if c.Eye == nil {
		c.fillMatrix(to)
		return
	}
	to.Shift = c.Shift
	to.Eye, to.Target, to.Upward = (*recipe.Point)(c.Eye), (*recipe.Point)(c.Target), (*recipe.Point)(c.Up)
	to.Height = c.Height
	if c.FOV != 0 {
		to.Fov = c.FOV
	}
	if c.Zoom != 0 {
		to.Zoom = c.Zoom
	}
	if c.Projection != "" {
		to.Projection = c.Projection
	}
}
