package film

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/clitest"
)

// TestFilmCache checks that a cache downloads files once. If it is full, it must remove the sets that were used longest
// ago. It must refuse sets above its limit, and remove old incomplete sets.
func TestFilmCache(t *testing.T) {
	s, err := server.Start(server.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := cluster.Dial(t.Context(), cluster.Address{URL: "nats://" + s.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	const size = 1000
	film := func(i int) cluster.Job {
		content := strings.Repeat(fmt.Sprint(i), size)
		f, err := cluster.HashFile(t.Context(), "mesh/part.stl", strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Upload(t.Context(), &f, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		return cluster.Job{ID: fmt.Sprint("film", i), Frames: 1, Files: []cluster.File{f}}
	}
	dir := t.TempDir()
	cache := &Cache{Dir: dir, Limit: 2*size + size/2}
	stale, fresh := filepath.Join(dir, strings.Repeat("d", 32)+".1"+partSuffix), filepath.Join(dir, strings.Repeat("e", 32)+".2"+partSuffix)
	for _, name := range []string{stale, fresh} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * partExpiry)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	var folders []string
	for i, use := range []int{0, 1, 0, 2, 0, 1} { // set 2 replaces set 1, and then set 1 replaces set 2
		job, began := film(use), time.Now()
		folder, err := cache.fetchSet(t.Context(), conn, job)
		if err != nil {
			t.Fatal(err)
		}
		if got := clitest.Read(t, filepath.Join(folder, "mesh", "part.stl")); string(got) != strings.Repeat(fmt.Sprint(use), size) {
			t.Errorf("step %d: %d other bytes", i, len(got))
		}
		// Using a set renews its time. File systems may round times to two seconds.
		if info, err := os.Stat(folder); err != nil || info.ModTime().Before(began.Add(-3*time.Second)) {
			t.Errorf("step %d: the set was last used at %v, want at %v (%v)", i, info.ModTime(), began, err)
		}
		// Steps are further apart than the resolution of a file system's clock.
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(folder, at, at); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
		have := 0
		for _, f := range []string{folders[0], folders[min(i, 1)], folder} {
			if _, err := os.Stat(f); err == nil {
				have++
			}
		}
		if want := []int{3, 3, 3, 2, 2, 3}[i]; have != want {
			t.Errorf("step %d: %d of the first, the second and the latest set are there, want %d", i, have, want)
		}
		if n := folderBytes(dir); n > cache.Limit {
			t.Errorf("step %d: %d bytes are kept, want at most %d", i, n, cache.Limit)
		}
	}
	if _, err := os.Stat(folders[3]); err == nil {
		t.Error("the set that was used longest ago is still there")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"+partSuffix))
	if err != nil || !slices.Equal(left, []string{fresh}) {
		t.Errorf("half sets %v, want that which may still grow", left)
	}
	// Other folders are left alone, however large they are.
	photos := filepath.Join(dir, "photos")
	if err := os.Mkdir(photos, 0o700); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(photos, "a.jpg"), strings.Repeat("x", 5*size))
	if err := os.Chtimes(photos, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.fetchSet(t.Context(), conn, film(7)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(photos, "a.jpg")); err != nil {
		t.Errorf("a folder of somebody else's: %v", err)
	}
	if _, err := cache.fetchSet(t.Context(), conn, cluster.Job{ID: "x", Frames: 1, Files: []cluster.File{{Name: "mesh/a", Size: -5}}}); err == nil || !strings.Contains(err.Error(), "-5 bytes") {
		t.Errorf("a file of less than nothing: %v", err)
	}
	if _, _, err := nameFiles([]cluster.File{{Name: `mesh\..\..\a`}}); err == nil {
		t.Error("a name that leaves the folder of the set on Windows")
	}
	if err := os.RemoveAll(photos); err != nil {
		t.Fatal(err)
	}
	for i, more := range []int64{0, 1} { // a set that just fits is kept; with one more byte it is removed
		cache.Limit = folderBytes(dir) + size - 1 + more
		before := len(clitest.Files(t, dir))
		if err := cache.evict(size, ""); err != nil {
			t.Fatal(err)
		}
		if removed := len(clitest.Files(t, dir)) < before; removed == (more == 1) {
			t.Errorf("%d: a set was removed: %v", i, removed)
		}
	}
	cache.Limit = size - 1
	if _, err := cache.fetchSet(t.Context(), conn, film(3)); err == nil || !strings.Contains(err.Error(), "a node keeps 999") {
		t.Errorf("a set that is larger than the cache: %v", err)
	}
}

// TestLateUpload checks that a node waits for a submitter that uploads the files some time after the request.
func TestLateUpload(t *testing.T) {
	t.Parallel()
	dial := startServer(t)
	node, submitter := dial(), dial()
	content := "solid late"
	f, err := cluster.HashFile(t.Context(), "mesh/late.stl", strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	job := cluster.Job{ID: "late", Frames: 1, Files: []cluster.File{f}}
	uploaded := make(chan error, 1)
	go func() {
		for {
			requested, err := submitter.FilesRequested(t.Context(), job)
			if requested || err != nil {
				time.Sleep(time.Second) // longer than the pause between two attempts
				uploaded <- errors.Join(err, submitter.Upload(t.Context(), &f, strings.NewReader(content)))
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	folder, err := (&Cache{Dir: t.TempDir()}).fetchSet(t.Context(), node, job)
	if err := errors.Join(err, <-uploaded); err != nil {
		t.Fatal(err)
	}
	if got := clitest.Read(t, filepath.Join(folder, "mesh", "late.stl")); string(got) != content {
		t.Errorf("the node has %q", got)
	}
}
