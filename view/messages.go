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

// A request is a message from the page, in JSON. A request with unknown fields is refused.
type request struct {
	Seq  uint32 `json:"seq"`
	Kind string `json:"kind"` // move, still, heat, pick, fit, file or step; after step, unlike file, the page keeps its camera
	// Picture is the state of the page. It has no meshes, because File names them.
	Picture recipe.Picture `json:"picture"`
	// File is the number of the mesh. Dropped meshes of the browser are numbered after the server's meshes.
	File int `json:"file"`
	// Against is the number of the server's mesh to compare with, counted from 1. 0 means none.
	Against int `json:"against"`
	// Client is the browser's name, see hello. It is needed only in requests that do not come through a socket.
	Client string      `json:"client"`
	Size   recipe.Size `json:"size"`
	// At is the pixel of a pick.
	At [2]float64 `json:"at"`
	// Shown is the number of the last movement that was on the screen. Trip is the time from the request of this
	// movement until it was on the screen, in milliseconds, or 0 if it is unknown.
	Trip  float64 `json:"trip"`
	Shown uint32  `json:"shown"`
	// Panel asks for a balanceInfo with the movement. The page gets at most ten of these per second.
	Panel bool `json:"panel"`
	// Fine selects the samples of a still picture. 0 means the default of frames. 1 means the default of single
	// pictures, and is used when the page has not moved for a longer time.
	Fine int `json:"fine"`

	received time.Time
}

// Limits for requests. Larger pictures would take seconds. No recipe of a page is longer than maxMessage.
const (
	maxMessage = 4 << 10
	maxWidth   = 4096
	maxHeight  = 2304
	leastSide  = 16
)

// parseRequest reads a request, and returns an error if it cannot be drawn.
func parseRequest(text []byte) (*request, error) {
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
	case !isFinite(r.At[0]) || !isFinite(r.At[1]) || !(r.Trip >= 0 && r.Trip < 1e6):
		return nil, errors.New("request: a number is not finite")
	case r.Picture.Sheet != 0 || r.Picture.Trim || r.Picture.Crop != (recipe.Rect{}):
		return nil, errors.New("request: crop, trim and sheet are not for the page")
	}
	r.Picture.Size = r.Size
	return r, nil
}

// checkMeshes returns an error if a mesh of the request does not exist. `all` is the number of meshes that the browser
// can select. The first `servers` of these are the server's own meshes, and the others were dropped.
func (r *request) checkMeshes(all, servers int) error {
	switch {
	case r.File < 0 || r.File >= all:
		return fmt.Errorf("request: mesh %d of %d", r.File, all)
	case r.Against < 0 || r.Against > servers:
		return fmt.Errorf("request: compared with mesh %d of %d", r.Against-1, servers)
	}
	return nil
}

func isFinite(v float64) bool { return v-v == 0 }

// The kinds of pictures in messages to the page.
const (
	moving = 0
	still  = 1
)

// headerBytes is the length of the header before the files of a picture. The header holds, in little-endian order:
//
//   - 4 bytes: the number of the request
//   - 1 byte: the kind of picture
//   - 1 byte: the level of a movement, or Fine of a still picture
//   - 1 byte: the number of files
//   - 1 byte: 0
//   - 4 bytes each: the microseconds of drawing and of encoding
//
// A movement may have several files, which show parts of the picture from top to bottom. Then the lengths of the
// files, four bytes each, follow the header.
const headerBytes = 16

func pictureHeader(seq uint32, kind, quality byte, drawn, encoded float64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, seq)
	b = append(b, kind, quality, 1, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(min(drawn*1e6, math.MaxUint32)))
	return binary.LittleEndian.AppendUint32(b, uint32(min(encoded*1e6, math.MaxUint32)))
}

// A pictureFiles collects the files of a movement. Each call of Write adds a whole file.
type pictureFiles struct {
	data    []byte
	lengths []int
}

func (f *pictureFiles) Write(p []byte) (int, error) {
	f.data = append(f.data, p...)
	f.lengths = append(f.lengths, len(p))
	return len(p), nil
}

func (f *pictureFiles) reset() { f.data, f.lengths = f.data[:0], f.lengths[:0] }

// message returns the message that consists of a header and the files.
func (f *pictureFiles) message(header []byte) []byte {
	if header[6] = byte(len(f.lengths)); len(f.lengths) > 1 {
		for _, n := range f.lengths {
			header = binary.LittleEndian.AppendUint32(header, uint32(n))
		}
	}
	return append(header, f.data...)
}

// filePixels is about the number of pixels in each file of a movement. A browser asks the system for new memory for
// each picture of more than about a megabyte, which takes longer than decoding: for 1280x720 in Chromium, 19 ms of
// processor time instead of 3 ms. A pixel takes a byte and a half during decoding.
const filePixels = 1 << 19

// fileRows returns the value of jpeg.Options.Rows for pictures of this width that are sent during a movement: the
// number of rows in each JPEG file.
func fileRows(width int) int {
	const step = 128
	return max(filePixels/width/step*step, step)
}

// A hello describes a mesh to the page.
type hello struct {
	Kind      string        `json:"kind"` // always hello
	Client    string        `json:"client"`
	File      int           `json:"file"`
	Files     []string      `json:"files"`
	Dropped   int           `json:"dropped"` // how many of the last names in Files are files that this browser dropped
	Room      int           `json:"room"`    // number of files that the browser may still drop
	Diff      bool          `json:"diff"`    // whether the page first shows a comparison of the first two meshes
	Name      string        `json:"name"`
	Triangles int           `json:"triangles"`
	Box       [2][3]float64 `json:"box"` // box in coordinates of the file
	Up        [3]float64    `json:"up"`
	Unit      string        `json:"unit"`
	Parts     []partInfo    `json:"parts"` // at most maxParts of the mesh's parts; AllParts is the number of all parts
	AllParts  int           `json:"allParts"`
	Fields    []fieldInfo   `json:"fields"`
	Warnings  []string      `json:"warnings"`
	// Extensions are the file extensions of meshes.
	Extensions []string    `json:"extensions"`
	Camera     *cameraInfo `json:"camera"` // nil if the page does not change its camera
	// Picture is the initial state of the page.
	Picture json.RawMessage `json:"picture"`
}

// maxParts is the largest number of a mesh's parts that the page lists.
const maxParts = 2000

type partInfo struct {
	Name      string `json:"name"`
	Triangles int    `json:"triangles"`
	// Area is nil if the mesh is not in memory, because computing areas would read the whole file.
	Area *float64 `json:"area"`
}

type fieldInfo struct {
	Name string   `json:"name"`
	Low  *float64 `json:"low"` // nil if the field has no numbers
	High *float64 `json:"high"`
}

// A cameraInfo is a camera in coordinates of the file.
type cameraInfo struct {
	Kind   string     `json:"kind,omitempty"` // fit, if the camera is the answer to a request
	Seq    uint32     `json:"seq,omitempty"`
	Eye    [3]float64 `json:"eye"`
	Target [3]float64 `json:"target"`
	Upward [3]float64 `json:"upward"`
	Fov    float64    `json:"fov"`    // field of view in degrees; 0 means an orthographic camera
	Height float64    `json:"height"` // height of the picture at the target, in units of the mesh
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

// A warning is a warning to the page about pictures that it shows.
type warning struct {
	Kind string `json:"kind"` // always warning
	Text string `json:"text"`
}

// A failure is an error message to the page.
type failure struct {
	Kind string `json:"kind"` // always error
	Seq  uint32 `json:"seq"`
	Text string `json:"text"`
}
