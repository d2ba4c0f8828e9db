package main

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"lockstep/cluster/film"
	"lockstep/render/recipe"
)

// Local nodes read the mesh while the server starts, and while the command itself reads it: it
// tells them at once what is known of the film, and the job that came of it when it is known.

// An announcement describes a film to nodes in two lines of their standard input: what is known before its mesh is read,
// and its job. Both are empty where nodes draw frames together.
type announcement struct {
	early  []byte        // what is known
	job    []byte        // the job
	known  chan struct{} // closed when job is there
	queued chan struct{} // closed when the film was handed in
	once   sync.Once     // closes queued
	mark   atomic.Value  // of the names of the nodes that this process starts, a string
}

// newAnnouncement begins with what is known.
func newAnnouncement(f film.Film, d *recipe.Drawer) (*announcement, error) {
	a := &announcement{known: make(chan struct{}), queued: make(chan struct{})}
	if !f.Shared {
		early, err := f.Describe(d)
		if err != nil {
			return nil, err
		}
		a.early = early
	}
	a.early = append(a.early, '\n')
	return a, nil
}

// noFilm is for nodes that hear of films by the server.
func noFilm() *announcement {
	a := &announcement{early: []byte("\n"), known: make(chan struct{}), queued: make(chan struct{})}
	a.set(nil, true)
	return a
}

// set adds the job.
func (a *announcement) set(s *film.Submission, shared bool) {
	if s != nil && !shared {
		a.job, _ = json.Marshal(s.Job()) // a job can be written: it goes to the server so
	}
	a.job = append(a.job, '\n')
	close(a.known)
}

// submitted says that the film is in the queue.
func (a *announcement) submitted() { a.once.Do(func() { close(a.queued) }) }

// own says what ends the names of the nodes that this process starts.
func (a *announcement) own(mark string) { a.mark.Store(mark) }

// isOwn reports whether a node is one of them.
func (a *announcement) isOwn(node string) bool {
	mark, known := a.mark.Load().(string)
	return known && isLocal(node, mark)
}
