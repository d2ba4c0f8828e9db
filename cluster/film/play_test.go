package film

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// openClip opens a film of a clip of three frames. It returns the film and the name of the mesh file. Parameter open is
// the value of Film.Open.
func openClip(t *testing.T, open bool) (s *Submission, mesh string) {
	t.Helper()
	dir := t.TempDir()
	mesh = filepath.Join(dir, "square.gltf")
	clitest.Write(t, mesh, clitest.SlidingSquare())
	f := cubes(mesh, filepath.Join(dir, "out"))
	f.Animation.Clip, f.Open = "slide", open
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, mesh
}

func openJob(t *testing.T, n *Node, job cluster.Job) *frames {
	t.Helper()
	f, err := n.open(t.Context(), job, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func recurring(err error) bool {
	var r cluster.Recurring
	return errors.As(err, &r) && r.Recurs()
}

// TestClipOfChangedFile changes the clip's file on a node. The node must not give up frames. After opening the film
// again, it must draw the submitter's file, even if the file was removed from its cache. While the node draws, it must
// renew the time of the file in the cache.
func TestClipOfChangedFile(t *testing.T) {
	conn := startServer(t)()
	s, mesh := openClip(t, true)
	job := s.Job()
	for i := range job.Files {
		if err := conn.Upload(t.Context(), &job.Files[i], bytes.NewReader(clitest.Read(t, mesh))); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.local.Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.Clone(want)
	node := &Node{Cluster: conn, Workers: 1, Cache: Cache{Dir: t.TempDir()}}
	for _, change := range []func(*frames) error{
		func(*frames) error { return os.WriteFile(mesh, append(clitest.Read(t, mesh), ' '), 0o600) },
		func(f *frames) error { return os.RemoveAll(f.cached.folder) },
		func(f *frames) error { return os.WriteFile(f.sources[0].Path, []byte("{"), 0o600) },
	} {
		f := openJob(t, node, job)
		old := time.Now().Add(-time.Hour)
		if f.cached != nil {
			if err := os.Chtimes(f.cached.folder, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := f.Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("it draws another mesh: %v", err)
		}
		if f.cached != nil {
			if info, err := os.Stat(f.cached.folder); err != nil || info.ModTime().Before(old.Add(time.Minute)) {
				t.Errorf("the set in use has not the time of its use: %v", err)
			}
		}
		if err := change(f); err != nil {
			t.Fatal(err)
		}
		for k := range 2 { // the mesh of frame 0 is in memory
			if _, err := f.Draw(t.Context(), k); !errors.Is(err, cluster.ErrStale) || recurring(err) {
				t.Errorf("frame %d of a changed file: %v", k, err)
			}
		}
	}
}

// TestClipOfOwnChangedFile checks that frames are given up if the file that all nodes read has changed.
func TestClipOfOwnChangedFile(t *testing.T) {
	s, mesh := openClip(t, false)
	f := openJob(t, &Node{Workers: 1}, s.Job())
	other := clitest.Read(t, mesh)
	other[len(other)-1] = ' ' // the size stays the same
	clitest.Write(t, mesh, string(other))
	if err := os.Chtimes(mesh, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Draw(t.Context(), 1); errors.Is(err, cluster.ErrStale) || !recurring(err) {
		t.Errorf("it is not given up: %v", err)
	}
}

// TestClipOfTouchedFile checks that a file of a clip may get another time while the film is drawn if its contents stay
// the same. A node that opens the film after that must draw it too.
func TestClipOfTouchedFile(t *testing.T) {
	for _, open := range []bool{false, true} {
		s, mesh := openClip(t, open)
		want := make([][]byte, 3)
		for k := range want {
			picture, err := s.local.Draw(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			want[k] = bytes.Clone(picture)
		}
		f := openJob(t, &Node{Workers: 1}, s.Job())
		for k := range want {
			if err := os.Chtimes(mesh, time.Time{}, time.Unix(1e9+int64(k), 0)); err != nil {
				t.Fatal(err)
			}
			for _, drawer := range []*frames{s.local, f} {
				if got, err := drawer.Draw(t.Context(), k); err != nil || !bytes.Equal(got, want[k]) {
					t.Errorf("open %v, frame %d: %v", open, k, err)
				}
			}
		}
		if open {
			continue // a node that opens the film now downloads the file
		}
		if got, err := openJob(t, &Node{Workers: 1}, s.Job()).Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want[1]) {
			t.Errorf("a node that began after the file was touched: %v", err)
		}
	}
}

// TestClipOfFileThatIsWritten checks that a mesh is read again if its file was written again while it was read. The
// half-written file that was read must not be drawn.
func TestClipOfFileThatIsWritten(t *testing.T) {
	s, mesh := openClip(t, false)
	f := openJob(t, &Node{Workers: 1}, s.Job())
	reads := 0
	f.player.reader.Opened = func(string, string, os.FileInfo) {
		if reads++; reads == 1 {
			if err := os.Chtimes(mesh, time.Time{}, time.Unix(1e9, 0)); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := f.Draw(t.Context(), 1); err != nil || reads != 2 {
		t.Errorf("read %d times, %v", reads, err)
	}
	f.player.reader.Opened = func(string, string, os.FileInfo) {
		reads++
		if err := os.Chtimes(mesh, time.Time{}, time.Unix(1e9+int64(reads), 0)); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Draw(t.Context(), 2); err == nil || recurring(err) || reads != 2+maxReads {
		t.Errorf("a file that is written again and again: read %d times, %v", reads, err)
	}
}

// fullMemory is a memory budget. If its value is true, it has no space for normals.
type fullMemory bool

func (*fullMemory) LimitMesh(*scenes.ReadOptions, render.Options) *recipe.Shortage { return nil }
func (*fullMemory) Loaded()                                                        {}
func (*fullMemory) Took(int64, int)                                                {}
func (*fullMemory) Workers(o render.Options) int                                   { return o.Workers }

func (m *fullMemory) Lacks(_ render.Options, more ...int64) *recipe.Shortage {
	if !*m || len(more) == 0 {
		return nil
	}
	return &recipe.Shortage{Resource: "memory", Need: 2, Have: 1}
}

// TestClipWithoutMemory checks that a node does not draw a frame flat if the first frame is smooth. It must leave the
// frame to other nodes. If the options of a frame are refused, the mesh of the first frame must be shown again.
func TestClipWithoutMemory(t *testing.T) {
	s, _ := openClip(t, false)
	m := new(fullMemory)
	f := openJob(t, &Node{Workers: 1, Memory: func() recipe.Memory { return m }}, s.Job())
	if !isSmooth(f.Input) {
		t.Fatal("the mesh is not smooth")
	}
	*m = true
	if _, err := f.Draw(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "too little memory") || recurring(err) || errors.Is(err, cluster.ErrStale) {
		t.Errorf("a frame that would be flat: %v", err)
	}
	*m = false
	if _, err := f.Draw(t.Context(), 1); err != nil {
		t.Error(err)
	}
	f.player.options.Workers = 77
	if done, err := f.setMesh(context.Background(), 1); err == nil || done != nil || f.Input != f.player.first || *f.Picture.Time != 0 {
		t.Errorf("options that are refused: %v", err)
	}
}

// TestMalformedClip checks that a node refuses a job with values that no submitter computes from a clip.
func TestMalformedClip(t *testing.T) {
	s, _ := openClip(t, false)
	job := s.Job()
	for name, change := range map[string]func(*spec){
		"nothing": func(s *spec) { s.Moving = nil },
		"box":     func(s *spec) { s.Moving.Box.Min[1] = s.Moving.Box.Max[1] + 1 },
		"numbers": func(s *spec) { s.Moving.Low = 1 },
		"":        func(*spec) {},
	} {
		spec, err := readSpec(job)
		if err != nil {
			t.Fatal(err)
		}
		change(spec)
		changed := job
		if changed.Spec, err = json.Marshal(spec); err != nil {
			t.Fatal(err)
		}
		f, err := (&Node{Workers: 1}).open(t.Context(), changed, false)
		if name == "" && err != nil || name != "" && (err == nil || !strings.Contains(err.Error(), "malformed")) {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
	for _, m := range []moving{{Low: math.NaN()}, {High: math.Inf(1)}, {Box: scenes.EmptyBox()}} {
		if m.check() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}
