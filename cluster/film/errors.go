package film

import (
	"errors"
	"fmt"

	"lockstep/cluster"
)

// errRestless is why pictures are not as they were recorded.
var errUnstable = errors.New("frames are changed or removed while the film is drawn")

// An Incomplete is the end of a film that lacks frames.
type Incomplete struct {
	Output    string // as the film has it
	Frames    int
	Drawn     int
	Cancelled bool                     // somebody took it out of the queue
	Failed    map[int]*cluster.Failure // by frame
}

// Error returns how many.
func (e *Incomplete) Error() string {
	if e.Cancelled {
		return fmt.Sprintf("%s: the film was cancelled after %d of %d frames", e.Output, e.Drawn, e.Frames)
	}
	return fmt.Sprintf("%s: %d of %d frames failed", e.Output, len(e.Failed), e.Frames)
}

// A Refused is the end of a film of which no frame can be drawn.
type Refused struct{ Err error }

// Error returns the reason.
func (e *Refused) Error() string { return e.Err.Error() }

// Unwrap returns the reason, a recipe.Error.
func (e *Refused) Unwrap() error { return e.Err }
