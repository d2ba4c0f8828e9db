package cluster

import (
	"context"
)

// A Painter knows how to draw jobs. Its methods are called by one goroutine at a time, as are
// those of Frames, but for Keep: a picture is kept while the next one is drawn.
type Painter interface {
	// Open gets ready for a job. It returns what draws its frames, which Work keeps as
	// long as it draws this job and closes then.
	Open(ctx context.Context, job Job) (Frames, error)
}

// A Sharer is a Painter that can also draw frames together with others.
type Sharer interface {
	// Share takes part in a shared job under a node's name until the job has ended or its
	// submitter has left, which are no errors.
	Share(ctx context.Context, job Job, name string) error
}

// Frames draws the frames of one job.
type Frames interface {
	// Draw returns frame k's picture, the same bytes on every machine. The slice may be
	// used again by the next call. An error may be Recurring: then the frame is not tried again.
	Draw(ctx context.Context, k int) ([]byte, error)
	// Keep stores the picture where the submitter finds it. It is durable when Keep returns.
	// It returns false where this machine and the submitter share no folder: the picture is
	// then handed over by way of the server.
	Keep(ctx context.Context, k int, picture []byte) (kept bool, err error)
	Close() error
}

// A Filer is Frames that keep pictures in files.
type Filer interface {
	// File returns what the system changes whenever somebody writes to the file of the last
	// picture that was kept, or replaces it; "" where it does not say.
	File() string
}
