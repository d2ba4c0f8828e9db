// Package loads reads and writes recordings of measured loads: how long each block of a mesh took in each frame of a
// camera path. A recording can be replayed under any distribution of the blocks and any criterion for when to balance.
//
// A file is JSON lines. The first is the header, with the number of triangles of every block:
//
//	{"format":"lockstep-loads","version":1,"mesh":"bunny.ply","blockSize":4096,"triangles":[4096,4096,1310]}
//
// All blocks but the last have blockSize triangles. Each further line is one frame, with the seconds of its blocks in
// the order of the header:
//
//	{"frame":0,"seconds":[0.00012,0.00009,0.00001],"x":[-0.3,0,0.25],"y":[0.1,0.1,0]}
//
// The positions x and y of the blocks in the picture (see [Recording]) are in all frames or in none. Frames are
// numbered from 0 without gaps. A block takes 0 to [MaxSeconds] seconds.
package loads

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	format  = "lockstep-loads"
	version = 1
)

// A Header describes the mesh that was drawn.
type Header struct {
	Mesh      string // origin of the mesh; may be empty
	BlockSize int    // triangles of a full block
	Triangles []int  // number of triangles of every block
}

// A Recording holds the frames of one run.
type Recording struct {
	Header
	// Seconds holds one slice per frame: the seconds of every block.
	Seconds [][]float64
	// X and Y hold one slice per frame: the positions of the blocks' centres in the picture. x is to the right and y is
	// up from the centre of the picture, in units of the picture's height. They are nil if the recording has no
	// positions.
	X, Y [][]float64
}

// A ReadError says which line of a recording is malformed.
type ReadError struct {
	Line int // number of the line, from 1
	Err  error
}

func (e *ReadError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

type headerLine struct {
	Format    string `json:"format"`
	Version   int    `json:"version"`
	Mesh      string `json:"mesh,omitempty"`
	BlockSize int    `json:"blockSize"`
	Triangles []int  `json:"triangles"`
}

type frameLine struct {
	Frame   *int      `json:"frame"`
	Seconds []float64 `json:"seconds"`
	X       []float64 `json:"x,omitempty"`
	Y       []float64 `json:"y,omitempty"`
}

// check returns an error if a header is inconsistent.
func (h Header) check() error {
	if h.BlockSize < 1 {
		return fmt.Errorf("blockSize is %d; expected at least 1", h.BlockSize)
	}
	if len(h.Triangles) == 0 {
		return errors.New("no blocks")
	}
	for i, n := range h.Triangles {
		last := i == len(h.Triangles)-1
		if n < 1 || n > h.BlockSize || (!last && n != h.BlockSize) {
			return fmt.Errorf("block %d of %d has %d triangles; expected %d, and 1 to %[4]d in the last", i, len(h.Triangles), n, h.BlockSize)
		}
	}
	return nil
}

// MaxSeconds is the largest valid time of a block, thirty years. With this limit, sums over any number of blocks and
// frames are finite, and so are powers of such sums.
const MaxSeconds = 1e9

// checkSeconds returns an error unless there is a valid time for every block.
func checkSeconds(seconds []float64, blocks int) error {
	if len(seconds) != blocks {
		return fmt.Errorf("times of %d blocks; the mesh has %d", len(seconds), blocks)
	}
	for i, s := range seconds {
		if !(s >= 0 && s <= MaxSeconds) {
			return fmt.Errorf("block %d took %v seconds; expected 0 to %g", i, s, float64(MaxSeconds))
		}
	}
	return nil
}

// MaxPlace limits a coordinate of a block's position, in picture heights. A block that is farther outside the picture,
// or behind the eye, is recorded at this distance.
const MaxPlace = 1e3

// checkPlaces returns an error unless there is a valid coordinate for every block.
func checkPlaces(places []float64, blocks int) error {
	if len(places) != blocks {
		return fmt.Errorf("places of %d blocks; the mesh has %d", len(places), blocks)
	}
	for i, x := range places {
		if !(x >= -MaxPlace && x <= MaxPlace) {
			return fmt.Errorf("block %d is at %v; expected %g to %g", i, x, -float64(MaxPlace), float64(MaxPlace))
		}
	}
	return nil
}

// A Writer writes a recording frame by frame.
type Writer struct {
	enc    *json.Encoder
	blocks int
	frames int
}

// NewWriter writes the header to w. A Writer writes small pieces, so w should be buffered. The caller flushes w after
// the last frame.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("write loads: %w", err)
	}
	out := &Writer{enc: json.NewEncoder(w), blocks: len(h.Triangles)}
	err := out.enc.Encode(headerLine{format, version, h.Mesh, h.BlockSize, h.Triangles})
	if err != nil {
		return nil, fmt.Errorf("write loads: %w", err)
	}
	return out, nil
}

// WriteFrame writes the next frame: the seconds of every block. A block that was not drawn takes 0 seconds.
func (w *Writer) WriteFrame(seconds []float64) error { return w.WriteFrameAt(seconds, nil, nil) }

// WriteFrameAt is like WriteFrame, but also writes the positions of the blocks, see [Recording]. Either all frames have
// positions, or none.
func (w *Writer) WriteFrameAt(seconds, x, y []float64) error {
	err := checkSeconds(seconds, w.blocks)
	if err == nil && (x != nil || y != nil) {
		err = errors.Join(checkPlaces(x, w.blocks), checkPlaces(y, w.blocks))
	}
	if err != nil {
		return fmt.Errorf("write loads: frame %d: %w", w.frames, err)
	}
	frame := w.frames
	if err := w.enc.Encode(frameLine{&frame, seconds, x, y}); err != nil {
		return fmt.Errorf("write loads: frame %d: %w", w.frames, err)
	}
	w.frames++
	return nil
}

// maxLine limits the length of a line. A file without line ends could otherwise use up all memory. 64 MiB hold the
// times of some 3 million blocks.
const maxLine = 64 << 20

// Read reads a recording with at least one frame. Errors about its contents are *ReadError. Memory grows with the size
// of the file, and not with the numbers in it.
func Read(r io.Reader) (*Recording, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var recording *Recording
	line := 0
	for lines.Scan() {
		line++
		var err error
		if recording == nil {
			recording, err = readHeader(lines.Bytes())
		} else {
			err = recording.readFrame(lines.Bytes())
		}
		if err != nil {
			return nil, &ReadError{line, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &ReadError{line + 1, fmt.Errorf("longer than %d bytes: %w", maxLine, err)}
	case err != nil:
		return nil, fmt.Errorf("read loads: %w", err)
	case recording == nil:
		return nil, &ReadError{1, errors.New("no header")}
	case len(recording.Seconds) == 0:
		return nil, &ReadError{line + 1, errors.New("no frames")}
	}
	return recording, nil
}

func readHeader(b []byte) (*Recording, error) {
	var h headerLine
	if err := json.Unmarshal(b, &h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if h.Format != format || h.Version != version {
		return nil, fmt.Errorf("format %q, version %d; expected %q, version %d", h.Format, h.Version, format, version)
	}
	recording := &Recording{Header: Header{h.Mesh, h.BlockSize, h.Triangles}}
	return recording, recording.check()
}

func (r *Recording) readFrame(b []byte) error {
	var l frameLine
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("frame: %w", err)
	}
	if l.Frame == nil || *l.Frame != len(r.Seconds) {
		return fmt.Errorf("expected frame %d", len(r.Seconds))
	}
	if err := checkSeconds(l.Seconds, len(r.Triangles)); err != nil {
		return fmt.Errorf("frame %d: %w", len(r.Seconds), err)
	}
	return r.add(l)
}

// add appends a frame. It returns an error if some frames have positions and others do not.
func (r *Recording) add(l frameLine) error {
	if l.X != nil || l.Y != nil || r.X != nil {
		if len(r.X) != len(r.Seconds) {
			return fmt.Errorf("frame %d has places; the first has none", len(r.Seconds))
		}
		if err := errors.Join(checkPlaces(l.X, len(r.Triangles)), checkPlaces(l.Y, len(r.Triangles))); err != nil {
			return fmt.Errorf("frame %d: %w", len(r.Seconds), err)
		}
		r.X, r.Y = append(r.X, l.X), append(r.Y, l.Y)
	}
	r.Seconds = append(r.Seconds, l.Seconds)
	return nil
}
