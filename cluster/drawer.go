package cluster

import (
	"context"
)

// A Drawer draws the frames of jobs. The methods of a Drawer and of its Frames are called one at a time. Only Save may
// run while the next frame is drawn.
type Drawer interface {
	// Open prepares for drawing a job, for example by reading its mesh. Work closes the Frames before it opens another
	// job.
	Open(ctx context.Context, job Job) (Frames, error)
}

// A SharedDrawer is a Drawer that can also draw frames together with other nodes.
type SharedDrawer interface {
	// DrawShared draws parts of the frames of a shared job, together with other nodes. name is this node's name.
	// DrawShared returns nil when the job has ended or its submitter has left.
	DrawShared(ctx context.Context, job Job, name string) error
}

// Frames draws the frames of one job.
type Frames interface {
	// Draw returns the picture of frame k, the same bytes on every machine. The next call may reuse the slice. After an
	// error that implements Recurring and whose Recurs returns true, the frame is not tried again. After an error that
	// wraps ErrStale, the job is opened again.
	Draw(ctx context.Context, k int) ([]byte, error)
	// Save stores the picture in the submitter's folder, so that it survives a crash. If this machine has no access to
	// the folder, it returns false, and the picture is sent through the server.
	Save(ctx context.Context, k int, picture []byte) (saved bool, err error)
	Close() error
}

// A FileStater is a Frames that saves pictures as files and can detect later changes of them.
type FileStater interface {
	// FileState returns a fingerprint of the file that was saved last, for example its inode, size and change time.
	// Writing to the file or replacing it changes the fingerprint. The result is empty if the system offers no
	// fingerprint.
	FileState() string
}
