package cluster

import (
	"context"
)

// A Drawer draws the frames of jobs. One goroutine at a time calls the methods of a Drawer and of its Frames. Only Save
// may run while the next frame is drawn.
type Drawer interface {
	// Open prepares for drawing a job, for example by reading its mesh. Work closes the returned Frames before it opens
	// another job.
	Open(ctx context.Context, job Job) (Frames, error)
}

// A SharedDrawer is a Drawer that can also draw frames together with other nodes.
type SharedDrawer interface {
	// DrawShared draws parts of the frames of a shared job, as the node with the given name. It returns nil when the
	// job has ended or its submitter has left.
	DrawShared(ctx context.Context, job Job, name string) error
}

// Frames draws the frames of one job.
type Frames interface {
	// Draw returns the picture of frame k, the same bytes on every machine. The next call may reuse the slice. If the
	// error implements Recurring and Recurs returns true, the frame is not tried again. If the error wraps ErrStale,
	// the job is opened again.
	Draw(ctx context.Context, k int) ([]byte, error)
	// Save stores the picture durably in the submitter's folder. If this machine does not share that folder, Save
	// returns false, and the picture is sent through the server.
	Save(ctx context.Context, k int, picture []byte) (saved bool, err error)
	Close() error
}

// A FileStater is a Frames that saves pictures in files and can detect later changes of these files.
type FileStater interface {
	// FileState returns a fingerprint of the file that was saved last, for example from its inode, size and change
	// time. The fingerprint changes when the file is written to or replaced. It is empty if the system provides no such
	// information.
	FileState() string
}
