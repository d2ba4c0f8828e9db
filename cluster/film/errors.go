package film

import (
	"errors"
	"fmt"

	"lockstep/cluster"
)

var (
	// errUnstable is returned by Submission.Draw if files of pictures still differ from their records after several
	// rounds of drawing.
	errUnstable = errors.New("frames are changed or removed while the film is drawn")
	// errNoPicture is returned by downloadPicture if the picture is invalid or missing, so that this process has to
	// draw the frame itself.
	errNoPicture = errors.New("no picture")
	// errFilmCancelled is the cause with which the context of a shared film ends when the film was cancelled.
	errFilmCancelled = errors.New("the film was cancelled")
)

// An Incomplete is returned by Submission.Draw when frames of the film are missing.
type Incomplete struct {
	Output    string // as in Film.Output
	Frames    int
	Drawn     int
	Cancelled bool                     // the job was cancelled
	Failed    map[int]*cluster.Failure // by frame
}

// Error returns how many frames are missing and why.
func (e *Incomplete) Error() string {
	if e.Cancelled {
		return fmt.Sprintf("%s: the film was cancelled after %d of %d frames", e.Output, e.Drawn, e.Frames)
	}
	return fmt.Sprintf("%s: %d of %d frames failed", e.Output, len(e.Failed), e.Frames)
}

// A Refused is returned by Submission.Draw when no frame of the film can be drawn.
type Refused struct{ Err error }

// Error returns the reason.
func (e *Refused) Error() string { return e.Err.Error() }

// Unwrap returns the reason, a recipe.Error.
func (e *Refused) Unwrap() error { return e.Err }
