package film

import (
	"bytes"
	"context"
	"encoding/json"

	"lockstep/cluster"
)

// Nodes that a program starts for one film read its mesh while the server starts, and while the program itself reads it:
// they are told what is known of the film at once, and the job when it is.

// Early is a film that is opened before its job is known.
type Early struct{ opening chan *frames }

// OpenEarly begins to open a film by what Film.Describe says of it. An empty line, as where nodes draw frames together,
// opens none.
func (n *Node) OpenEarly(ctx context.Context, line []byte) *Early {
	e := &Early{make(chan *frames, 1)}
	go func() { e.opening <- n.openEarly(ctx, line) }()
	return e
}

// openEarly returns nil where that does not work: the submitter says why.
func (n *Node) openEarly(ctx context.Context, line []byte) *frames {
	s := new(spec)
	if len(bytes.TrimSpace(line)) == 0 || json.Unmarshal(line, s) != nil || len(s.Animation.Picture.Meshes) == 0 {
		return nil
	}
	f, err := n.openSpec(ctx, s, false)
	if err != nil {
		return nil
	}
	return f
}

// Take waits for the film, and checks that it is the one of a job in JSON. It returns nil where it is not: Work opens the
// film then, or says why it cannot. The node is of the same build as the submitter.
func (e *Early) Take(n *Node, line []byte) *cluster.Opened {
	f := <-e.opening
	if f == nil {
		return nil
	}
	var job cluster.Job
	if json.Unmarshal(line, &job) == nil {
		if s, err := readSpec(job); err == nil && n.adopt(f, job, s, false) == nil {
			return &cluster.Opened{Job: job, Frames: f}
		}
	}
	f.Close()
	return nil
}
