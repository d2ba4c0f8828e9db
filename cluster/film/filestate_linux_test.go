package film

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/render/atomicfile"
)

// TestIntactFile checks that an unchanged file is not read again. A file must be read if it was replaced, or changed
// with the same size and time. It must also be read if it was written before the machine booted, or by a node on
// another machine.
func TestIntactFile(t *testing.T) {
	dir := t.TempDir()
	names, err := framename.New(filepath.Join(dir, "f####.png"), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	name, picture := names.Name(0), []byte("picture")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(string(picture))
	boot := bootID()
	if boot == "" {
		t.Skip("this system does not name its boots")
	}
	own, ownKey := newKey(t)
	r := &Submission{names: names, local: &frames{bootID: boot}, options: Options{OwnKey: ownKey}}
	wrong := cluster.Hash([]byte("another")) // shows whether the file was read
	d := signedDone(t, own, 0, cluster.Done{Hash: wrong, Node: "own", FileState: fileState(boot, name)})
	if !r.isIntact(0, d) {
		t.Error("a file that nobody wrote to was read")
	}
	for what, other := range map[string]*cluster.Done{
		"without a state":          signedDone(t, own, 0, cluster.Done{Hash: wrong, Node: d.Node}),
		"of another boot":          signedDone(t, own, 0, cluster.Done{Hash: wrong, Node: d.Node, FileState: strings.Replace(d.FileState, boot, "other", 1)}),
		"of another machine":       {Hash: wrong, Node: d.Node, FileState: d.FileState},
		"of a node that was wrong": signedDone(t, own, 0, cluster.Done{Hash: cluster.Hash(picture), Node: "wrong", FileState: d.FileState}),
	} {
		r.blocked = map[cluster.Author]bool{{Key: ownKey, Node: "wrong"}: true}
		if r.isIntact(0, other) {
			t.Errorf("a file %s was not read", what)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the clock of the file system is coarse
	put("PICTURE")
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if r.isIntact(0, d) {
		t.Error("a file that was written to was not read")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if r.isIntact(0, d) {
		t.Error("a file that is missing was taken for intact")
	}
}

// TestKeptFile checks that a file that this process saved is not read again, regardless of which node drew it. It must
// be read if it was changed or its record names another picture.
func TestKeptFile(t *testing.T) {
	boot := bootID()
	if boot == "" {
		t.Skip("this system does not name its boots")
	}
	names, err := framename.New(filepath.Join(t.TempDir(), "f####.png"), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := &Submission{names: names, local: &frames{bootID: boot, names: names, files: new(atomicfile.Set)}}
	wrong := cluster.Hash([]byte("another")) // shows whether the file was read
	if err := s.keepPicture(t.Context(), 0, wrong, []byte("picture")); err != nil {
		t.Fatal(err)
	}
	d := &cluster.Done{Hash: wrong, Node: "far"}
	if !s.isIntact(0, d) {
		t.Error("a file that this process saved was read")
	}
	if s.isIntact(0, &cluster.Done{Hash: cluster.Hash([]byte("third")), Node: "far"}) {
		t.Error("a file was taken for another picture than the one that was saved")
	}
	s.blocked = map[cluster.Author]bool{d.Author(s.id, 0): true}
	if s.isIntact(0, d) {
		t.Error("the picture of a blocked node was taken")
	}
	s.blocked = nil
	time.Sleep(20 * time.Millisecond) // the clock of the file system is coarse
	if err := os.WriteFile(names.Name(0), []byte("PICTURE"), 0o666); err != nil {
		t.Fatal(err)
	}
	if s.isIntact(0, d) {
		t.Error("a file that was written to was not read")
	}
}

// TestStateAsWritten checks that a file has no recorded state if another program wrote to it before the state was
// taken.
func TestStateAsWritten(t *testing.T) {
	boot := bootID()
	if boot == "" {
		t.Skip("this system does not name its boots")
	}
	name, own := filepath.Join(t.TempDir(), "f.png"), &frames{bootID: boot}
	put := func(text string) os.FileInfo {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	written := put("picture")
	if got, want := own.stateAsWritten(name, written), fileState(boot, name); got != want {
		t.Errorf("the state is %q, want %q", got, want)
	}
	time.Sleep(20 * time.Millisecond) // the clock of the file system is coarse
	put("PICTURE")
	if got := own.stateAsWritten(name, written); got != "" {
		t.Errorf("a file that was written to since has the state %q", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if got := own.stateAsWritten(name, put("picture")); got != fileState(boot, name) {
		t.Errorf("a new file has the state %q", got)
	}
	if got := own.stateAsWritten(name, written); got != "" {
		t.Errorf("a file in place of another has the state %q", got)
	}
}
