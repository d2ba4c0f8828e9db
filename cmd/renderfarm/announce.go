package main

import (
	"encoding/json"
	"sync"

	"lockstep/cluster/film"
	"lockstep/cluster/server"
	"lockstep/render/recipe"
)

// While the server starts, the local nodes and the command itself already read the mesh. So the command describes the
// film to the nodes without waiting for the server. It sends the job later, as soon as the job is known.

// An announcement describes a film to local nodes by two lines on their standard input:
//
//   - the result of Film.Describe
//   - the job as JSON
//
// Both lines are empty if the nodes draw each frame together.
type announcement struct {
	description []byte        // first line
	job         []byte        // second line
	jobKnown    chan struct{} // closed when job is set
	queued      chan struct{} // closed when the film has been submitted
	once        sync.Once     // closes queued
	// seed is the secret key of this run, with which local nodes sign their records. key is the public key of seed.
	seed []byte
	key  string
}

// newAnnouncement returns an announcement whose job is not known yet.
func newAnnouncement(f film.Film, d *recipe.Drawer) (*announcement, error) {
	a := &announcement{jobKnown: make(chan struct{}), queued: make(chan struct{})}
	var err error
	if a.seed, a.key, err = server.NewKey(); err != nil {
		return nil, err
	}
	if !f.Shared {
		early, err := f.Describe(d)
		if err != nil {
			return nil, err
		}
		a.description = early
	}
	a.description = append(a.description, '\n')
	return a, nil
}

// emptyAnnouncement returns an announcement without a film, for nodes that get their films from the server.
func emptyAnnouncement() *announcement {
	a := &announcement{description: []byte("\n"), jobKnown: make(chan struct{}), queued: make(chan struct{})}
	a.setJob(nil)
	return a
}

// setJob sets the second line.
func (a *announcement) setJob(s *film.Submission) {
	if s != nil {
		a.job, _ = json.Marshal(s.Job()) // no error, because the job was encoded before
	}
	a.job = append(a.job, '\n')
	close(a.jobKnown)
}

// noteSubmitted records that the film is in the queue.
func (a *announcement) noteSubmitted() { a.once.Do(func() { close(a.queued) }) }
