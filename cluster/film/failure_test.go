package film

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"lockstep/cluster"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// TestMarkRecurring checks that errors of flags, the mesh and the view recur, and that those of a machine or a moment
// do not.
func TestMarkRecurring(t *testing.T) {
	for _, c := range []struct {
		err    error
		recurs bool
	}{
		{nil, false},
		{&recipe.Error{Kind: recipe.Unfit, Err: errors.New("a field")}, true},
		{damaged("a.stl: %w", errors.New("damaged")), true},
		{&recipe.Error{Kind: recipe.Blank, Err: errors.New("nothing")}, true},
		{&atomicfile.Error{File: "a file", Err: errors.New("full")}, false},
		{errors.New("who knows"), false},
		{context.Canceled, false},
		{context.DeadlineExceeded, false},
		{damaged("a.stl: %w", context.DeadlineExceeded), false},
		{damaged("a.stl: %w", &fs.PathError{Op: "read", Err: errors.New("gone")}), false},
		{damaged("a.stl: %w", syscall.ENOMEM), false},
		{damaged("a.stl: %w", &scenes.LimitError{}), false},
	} {
		var told cluster.Recurring
		err := markRecurring(c.err)
		if got := errors.As(err, &told) && told.Recurs(); got != c.recurs || !errors.Is(err, c.err) && c.err != nil {
			t.Errorf("%v: recurs %v, want %v", c.err, got, c.recurs)
		}
	}
}

// TestBlankFilm checks that a film is blank when all frames that are drawn first are, whatever else is drawn before or
// between them.
func TestBlankFilm(t *testing.T) {
	r := &Submission{job: cluster.Job{Frames: 100}}
	first := cluster.Order(100)[:blankFrames]
	for i, k := range first[1:] {
		if r.isBlank(k) || r.isBlank(1+i) {
			t.Fatalf("a film is blank after %d of its first frames", i)
		}
	}
	if !r.isBlank(first[0]) {
		t.Error("a film of which all first frames are blank is not")
	}
	if short := (&Submission{job: cluster.Job{Frames: 1}}); !short.isBlank(0) {
		t.Error("a film of one blank frame is not blank")
	}
}

// TestNeedsCheck checks that the name of the submitter is not trusted in a record, and that its own nodes are trusted.
func TestNeedsCheck(t *testing.T) {
	s := &Submission{done: map[int]*cluster.Done{}, options: Options{IsOwnNode: func(node string) bool { return node == "mine" }}}
	for node, suspect := range map[string]bool{"mine": false, "other": true, SubmitterName: true} {
		if got := s.needsCheck(1, &cluster.Done{Node: node, Hash: "h"}); got != suspect {
			t.Errorf("a picture of %s is suspect: %v", node, got)
		}
	}
	s.noteRedrawn(1, &cluster.Done{Node: SubmitterName, Hash: "h"})
	for k, hash := range map[int]string{1: "h", 2: "h", 3: "x"} {
		if got := s.needsCheck(k, &cluster.Done{Node: SubmitterName, Hash: hash}); got != (k != 1) {
			t.Errorf("frame %d of the submitter is suspect: %v", k, got)
		}
	}
	if s.needsCheck(1, &cluster.Done{Node: SubmitterName, Hash: "x"}) == false {
		t.Error("another picture of the submitter is not suspect")
	}
}
