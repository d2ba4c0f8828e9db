package film

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// TestMarkRecurring checks which errors recur on every node. Errors of flags, the mesh and the view do. Errors of one
// machine and temporary errors do not.
func TestMarkRecurring(t *testing.T) {
	for _, c := range []struct {
		err    error
		recurs bool
	}{
		{nil, false},
		{&recipe.Error{Kind: recipe.Unfit, Err: errors.New("a field")}, true},
		{damagedError("a.stl: %w", errors.New("damaged")), true},
		{&recipe.Error{Kind: recipe.Blank, Err: errors.New("nothing")}, true},
		{&atomicfile.Error{File: "a file", Err: errors.New("full")}, false},
		{errors.New("who knows"), false},
		{context.Canceled, false},
		{context.DeadlineExceeded, false},
		{damagedError("a.stl: %w", context.DeadlineExceeded), false},
		{damagedError("a.stl: %w", &fs.PathError{Op: "read", Err: errors.New("gone")}), false},
		{damagedError("a.stl: %w", syscall.ENOMEM), false},
		{damagedError("a.stl: %w", &scenes.LimitError{}), false},
	} {
		var told cluster.Recurring
		err := markRecurring(c.err)
		if got := errors.As(err, &told) && told.Recurs(); got != c.recurs || !errors.Is(err, c.err) && c.err != nil {
			t.Errorf("%v: recurs %v, want %v", c.err, got, c.recurs)
		}
	}
}

// TestBlankFilm checks that a film is blank if its first frames in drawing order are all blank. Other frames may be
// drawn before or between them.
func TestBlankFilm(t *testing.T) {
	r := &Submission{job: cluster.Job{Frames: 100}}
	first := cluster.Order(100)[:blankFrames]
	for i, k := range first[1:] {
		if r.noteBlank(k) || r.noteBlank(1+i) {
			t.Fatalf("a film is blank after %d of its first frames", i)
		}
	}
	if !r.noteBlank(first[0]) {
		t.Error("a film of which all first frames are blank is not")
	}
	if short := (&Submission{job: cluster.Job{Frames: 1}}); !short.noteBlank(0) {
		t.Error("a film of one blank frame is not blank")
	}
}

// signedDone returns the record of a frame, signed as a node with this seed signs it.
func signedDone(t *testing.T, seed []byte, k int, d cluster.Done) *cluster.Done {
	t.Helper()
	if err := d.Sign(seed, "", k); err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestNeedsCheck checks which pictures are trusted. No picture may be trusted because of the name in its record.
// Pictures signed with the key of this program's own nodes are trusted.
func TestNeedsCheck(t *testing.T) {
	own, ownKey := newKey(t)
	other, _ := newKey(t)
	s := &Submission{done: map[int]*cluster.Done{}, options: Options{OwnKey: ownKey}}
	for _, c := range []struct {
		what    string
		d       *cluster.Done
		suspect bool
	}{
		{"an own node", signedDone(t, own, 1, cluster.Done{Node: "local-0", Hash: "h"}), false},
		{"an own node of any name", signedDone(t, own, 1, cluster.Done{Node: "x", Hash: "h"}), false},
		{"another node", signedDone(t, other, 1, cluster.Done{Node: "local-0", Hash: "h"}), true},
		{"an own node's other frame", signedDone(t, own, 2, cluster.Done{Node: "local-0", Hash: "h"}), true},
		{"nobody", &cluster.Done{Node: "local-0", Hash: "h"}, true},
		{"the submitter", &cluster.Done{Node: SubmitterName, Hash: "h"}, true},
	} {
		if got := s.needsCheck(1, c.d); got != c.suspect {
			t.Errorf("a picture of %s is suspect: %v", c.what, got)
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

// TestBlockedAuthorsAreChecked checks that in the first round the frames of a blocked node are left to other nodes. If
// frames had to be drawn again because of that node, its pictures are compared in the next round.
func TestBlockedAuthorsAreChecked(t *testing.T) {
	seed, _ := newKey(t)
	d := signedDone(t, seed, 1, cluster.Done{Node: "n", Hash: "h"})
	s := &Submission{blocked: map[cluster.Author]bool{d.Author("", 1): true}}
	for s.distrusts = range 2 {
		if got := s.needsCheck(1, d); got != (s.distrusts > 0) {
			t.Errorf("after %d rounds it is compared: %v", s.distrusts, got)
		}
	}
}

// TestTrust checks which pictures and failures of a key are compared, before and after one of them was wrong.
func TestTrust(t *testing.T) {
	seed, _ := newKey(t)
	s := new(Submission)
	compared := func(from, to int) (n int) {
		for k := from; k < to; k++ {
			// A key counts as one author, whatever names its nodes use.
			if s.needsCheck(k, signedDone(t, seed, k, cluster.Done{Node: fmt.Sprint("n", k), Hash: "h"})) {
				n++
			}
		}
		return n
	}
	if n := compared(0, 2*checkEvery); n != 2 {
		t.Errorf("of %d pictures %d are compared, want 2", 2*checkEvery, n)
	}
	s.done = map[int]*cluster.Done{0: {}, 1: {}}
	author := signedDone(t, seed, 0, cluster.Done{Node: "n"}).Author("", 0)
	s.trustOf(author).noteWrong()
	for k, suspect := range map[int]bool{0: false, 1: true, checkEvery: false, 2*checkEvery - 1: true, 2 * checkEvery: false} {
		if s.isSuspect(k) != suspect {
			t.Errorf("frame %d is drawn again: %v", k, !suspect)
		}
	}
	if !s.forgiveSuspects([]int{0, 1}) || s.isSuspect(1) {
		t.Error("frames are drawn again for ever")
	}
	s.noteRedrawn(1, &cluster.Done{Node: SubmitterName, Hash: "h"})
	if s.forgiveSuspects([]int{0, 1}) {
		t.Error("a file of this process that was changed counts as a lie of others")
	}
	if n := compared(1000, 1000+checkEvery); n != moreChecks {
		t.Errorf("of %d pictures after a wrong one %d are compared, want %d", checkEvery, n, moreChecks)
	}
	for range 9 {
		s.trustOf(author).noteWrong()
	}
	if n := compared(2000, 2020); n != 20 {
		t.Errorf("of 20 pictures after many wrong ones %d are compared", n)
	}
	fresh := &trust{}
	for n := 1; n <= 3*firstFailures; n++ {
		if got, want := fresh.countFailure(), n <= firstFailures || n%firstFailures == 0; got != want {
			t.Errorf("failure %d is tried here: %v", n, got)
		}
	}
	if fresh.wrongFailure = true; !fresh.countFailure() {
		t.Error("a failure is believed after one that was made up")
	}
}

// TestSuspects checks for which failures this process tries to draw the frame itself.
func TestSuspects(t *testing.T) {
	own, ownKey := newKey(t)
	other, _ := newKey(t)
	s := &Submission{options: Options{OwnKey: ownKey}}
	for _, c := range []struct {
		seed   []byte
		recurs bool
		want   bool
	}{{own, true, false}, {own, false, false}, {other, true, true}, {other, false, true}, {nil, false, true}} {
		x := &cluster.Failure{Node: "n", Recurs: c.recurs}
		if err := x.Sign(c.seed, "", 4); err != nil {
			t.Fatal(err)
		}
		if got := s.mayBeInvented(4, x); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// If a node says that its failures recur, this process tries only a sample of its later failures. Other failures
	// are always tried here.
	for _, recurs := range []bool{true, false} {
		x := &cluster.Failure{Node: "n", Recurs: recurs}
		if err := x.Sign(other, "", 4); err != nil {
			t.Fatal(err)
		}
		suspect := 0
		for range 2 * firstFailures {
			if s.mayBeInvented(4, x) {
				suspect++
			}
		}
		if all := suspect == 2*firstFailures; all == recurs {
			t.Errorf("recurs %v: %d of %d failures are tried here", recurs, suspect, 2*firstFailures)
		}
	}
}

// newKey returns a new key pair.
func newKey(t testing.TB) (seed []byte, public string) {
	t.Helper()
	seed, public, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return seed, public
}
