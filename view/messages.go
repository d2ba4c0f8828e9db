package view

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"lockstep/render"
	"lockstep/render/recipe"
)

// A request is what the page sends, as JSON. Unknown fields are refused.
type request struct {
	Seq  uint32 `json:"seq"`
	Kind string `json:"kind"` // move, still, heat, pick, fit, file, or step: file without the camera that shows all of it
	// Picture is the state of the page. It names no meshes: File says which of the server's is shown.
	Picture recipe.Picture `json:"picture"`
	// Those that the browser has dropped are behind the server's.
	File int `json:"file"`
	// Against is the server's mesh that it is compared with, counted from 1; 0: none.
	Against int `json:"against"`
	// Client is the browser's name, see hello, where no socket says it.
	Client string      `json:"client"`
	Size   recipe.Size `json:"size"`
	// At is the pixel of a pick.
	At [2]float64 `json:"at"`
	// Trip is how many milliseconds the last movement that was shown took from its request to the screen, and Shown the
	// number of that request; 0: unknown.
	Trip  float64 `json:"trip"`
	Shown uint32  `json:"shown"`
	// Panel asks for a balanceInfo of a movement, at most ten a second.
	Panel bool `json:"panel"`
	// Fine is how long the page stands still already, in steps: 0 the default samples of frames, 1 those of pictures.
	Fine int `json:"fine"`

	received time.Time
}

// Limits of requests: larger pictures take seconds, and longer messages are no recipes.
const (
	maxMessage = 4 << 10
	maxWidth   = 4096
	maxHeight  = 2304
	leastSide  = 16
)

// parse reads a request and refuses what cannot be drawn.
func parse(text []byte) (*request, error) {
	r := &request{received: time.Now()}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	switch {
	case len(r.Picture.Meshes) > 0:
		return nil, errors.New("request: the meshes are the server's: expected a number of one")
	case r.Size.Width < leastSide || r.Size.Height < leastSide || r.Size.Width > maxWidth || r.Size.Height > maxHeight:
		return nil, fmt.Errorf("request: a picture of %dx%d: expected %dx%d to %dx%d", r.Size.Width, r.Size.Height, leastSide, leastSide, maxWidth, maxHeight)
	case r.Fine < 0 || r.Fine > 1:
		return nil, fmt.Errorf("request: fine %d: expected 0 or 1", r.Fine)
	case !finite(r.At[0]) || !finite(r.At[1]) || !(r.Trip >= 0 && r.Trip < 1e6):
		return nil, errors.New("request: a number is not finite")
	case r.Picture.Sheet != 0 || r.Picture.Trim || r.Picture.Crop != (recipe.Rect{}):
		return nil, errors.New("request: crop, trim and sheet are not for the page")
	}
	r.Picture.Size = r.Size
	return r, nil
}

// within refuses a request for a mesh that is not there: of so many, of which the server's come first.
func (r *request) within(all, servers int) error {
	switch {
	case r.File < 0 || r.File >= all:
		return fmt.Errorf("request: mesh %d of %d", r.File, all)
	case r.Against < 0 || r.Against > servers:
		return fmt.Errorf("request: compared with mesh %d of %d", r.Against-1, servers)
	}
	return nil
}

func finite(v float64) bool { return v-v == 0 }

// Kinds of pictures that the page gets.
const (
	moving = 0
	still  = 1
)

// headerBytes is the length of what stands before the file of a picture: its number, its kind, its quality (of one that stands, Fine), and how many
// microseconds the drawing and the encoding took, little-endian.
const headerBytes = 16

func header(seq uint32, kind, quality byte, drawn, encoded float64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, seq)
	b = append(b, kind, quality, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(min(drawn*1e6, math.MaxUint32)))
	return binary.LittleEndian.AppendUint32(b, uint32(min(encoded*1e6, math.MaxUint32)))
}

// A hello describes a mesh to the page.
type hello struct {
	Kind      string        `json:"kind"` // hello
	Client    string        `json:"client"`
	File      int           `json:"file"`
	Files     []string      `json:"files"`
	Dropped   int           `json:"dropped"` // how many of Files, the last ones, this browser has dropped
	Diff      bool          `json:"diff"`    // whether the page begins with the first mesh compared with the second
	Name      string        `json:"name"`
	Triangles int           `json:"triangles"`
	Box       [2][3]float64 `json:"box"` // in coordinates of the file
	Up        [3]float64    `json:"up"`
	Unit      string        `json:"unit"`
	Parts     []partInfo    `json:"parts"` // the first ones
	AllParts  int           `json:"allParts"`
	Fields    []fieldInfo   `json:"fields"`
	Warnings  []string      `json:"warnings"`
	Camera    *cameraInfo   `json:"camera"` // nil: the page keeps its own
	// Picture is the state with which the page begins.
	Picture json.RawMessage `json:"picture"`
}

// maxParts is how many parts of a mesh the page lists.
const maxParts = 2000

type partInfo struct {
	Name      string  `json:"name"`
	Triangles int     `json:"triangles"`
	Area      float64 `json:"area"`
}

type fieldInfo struct {
	Name string   `json:"name"`
	Low  *float64 `json:"low"` // nil: it has no numbers
	High *float64 `json:"high"`
}

// A cameraInfo is a camera in coordinates of the file.
type cameraInfo struct {
	Kind   string     `json:"kind,omitempty"` // fit, where it is an answer
	Seq    uint32     `json:"seq,omitempty"`
	Eye    [3]float64 `json:"eye"`
	Target [3]float64 `json:"target"`
	Upward [3]float64 `json:"upward"`
	Fov    float64    `json:"fov"`    // degrees; 0: orthographic
	Height float64    `json:"height"` // of the picture at the target, in units of the mesh
}

func cameraOf(cam *render.Camera, origin [3]float64) cameraInfo {
	c := cameraInfo{Upward: cam.Up, Height: 1 / cam.Magnification}
	for axis := range 3 {
		c.Eye[axis], c.Target[axis] = cam.Eye[axis]+origin[axis], cam.Target[axis]+origin[axis]
	}
	if !cam.Orthographic {
		c.Fov = 2 * math.Atan(0.5/cam.Magnification) * (180 / math.Pi)
		c.Height *= cam.Target.Sub(cam.Eye).Len()
	}
	return c
}

// A failure tells the page what went wrong.
type failure struct {
	Kind string `json:"kind"` // error
	Seq  uint32 `json:"seq"`
	Text string `json:"text"`
}
