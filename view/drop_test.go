package view

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// hello asks for the description of a mesh.
func (c *client) hello(file int) (h hello) {
	c.t.Helper()
	r := usual("file")
	r.File = file
	if _, answer := c.ask(r); json.Unmarshal(answer, &h) != nil || h.Kind != "hello" {
		c.t.Fatalf("%s", answer)
	}
	return h
}

// drop sends a file for a page, and returns the status and the body of the response.
func drop(t *testing.T, s *Server, page, name string, file string) (status int, answer string) {
	t.Helper()
	query := url.Values{"client": {page}, "name": {name}}
	got, err := http.Post(s.URL()+"drop?"+query.Encode(), "application/octet-stream", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(got.Body); err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, body.String()
}

// block returns an STL file of a cube.
func block(size float32) string {
	return clitest.STL(clitest.Cube([3]float32{0, 0, 0}, size))
}

// TestDrop checks that a dropped file is shown to the page that sent it. Its picture must equal that of the command for
// the same file, also with --fast.
func TestDrop(t *testing.T) {
	s := started(t, nil)
	c := dial(t, s)
	page := c.hello(0).Client
	if status, answer := drop(t, s, page, "box.stl", block(3)); status != http.StatusOK || strings.TrimSpace(answer) != `{"file":2}` {
		t.Fatalf("%d: %s", status, answer)
	}
	h := c.hello(2)
	if h.Name != "box.stl" || h.Dropped != 1 || len(h.Files) != 3 || h.Box != [2][3]float64{{-3, -3, -3}, {3, 3, 3}} {
		t.Errorf("%+v", h)
	}
	t.Chdir(t.TempDir())
	clitest.Write(t, "box.stl", block(3))
	for name, change := range map[string]func(p *recipe.Picture){"default": func(*recipe.Picture) {}, "fast": func(p *recipe.Picture) { p.Fast() }} {
		r := usual("still")
		r.File, r.Fine, r.Client = 2, 1, page
		change(&r.Picture)
		p := r.Picture
		p.Size, p.Meshes = r.Size, []recipe.Mesh{{File: "box.stl"}}
		var want bytes.Buffer
		if err := new(recipe.Drawer).PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename("box.stl", "kept"); err != nil { // the file is not read again by its name
			t.Fatal(err)
		}
		if _, answer := c.ask(r); !bytes.Equal(answer[headerBytes:], want.Bytes()) {
			t.Errorf("%s: another picture than the command's: %.60q", name, answer)
		}
		if _, body := post(t, s, "picture.png", r); !bytes.Equal(body, want.Bytes()) {
			t.Errorf("%s: another file is saved: %.60q", name, body)
		}
		if _, body := post(t, s, "command", r); !strings.Contains(string(body), "box.stl") {
			t.Errorf("%s", body)
		}
		if err := os.Rename("kept", "box.stl"); err != nil {
			t.Fatal(err)
		}
	}
	move := usual("move")
	move.File = 2
	if _, answer := c.ask(move); binary.LittleEndian.Uint32(answer) != c.seq || answer[4] != moving {
		t.Errorf("%.80q", answer)
	}
}

// TestDropIsPrivate checks that other pages cannot see a dropped file, and that the server removes it when its page
// disconnects.
func TestDropIsPrivate(t *testing.T) {
	s := started(t, nil)
	c, other := dial(t, s), dial(t, s)
	page := c.hello(0).Client
	if status, answer := drop(t, s, page, "box.stl", block(3)); status != http.StatusOK {
		t.Fatal(answer)
	}
	theirs := other.hello(0)
	if len(theirs.Files) != 2 || theirs.Client == page {
		t.Errorf("another page is told of %v", theirs.Files)
	}
	r := usual("still")
	r.File = 2
	for name, who := range map[string]string{"another page": theirs.Client, "nobody": "", "a guess": "AAAA"} {
		r.Client = who
		if got, body := post(t, s, "picture.png", r); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s gets %d: %.60q", name, got.StatusCode, body)
		}
	}
	c.conn.CloseNow()
	for deadline := time.Now().Add(time.Minute); s.browser(page) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the page is known for ever")
		}
	}
	r.Client = page
	if got, _ := post(t, s, "picture.png", r); got.StatusCode != http.StatusBadRequest {
		t.Error("a dropped file outlives its page")
	}
	if status, answer := drop(t, s, page, "box.stl", block(3)); status != http.StatusForbidden {
		t.Errorf("%d: %s", status, answer)
	}
}

// TestDropRefuses checks that a dropped file is refused if it is not a mesh, if it is too large, if it is one too many,
// or if another site sent it. It also checks that other meshes cannot be compared with a dropped file.
func TestDropRefuses(t *testing.T) {
	s := started(t, func(o *Options) { o.Drawer.Read.MaxTriangles = 500 })
	c := dial(t, s)
	page := c.hello(0).Client
	many := clitest.STL(cubes(600))
	for name, of := range map[string]struct {
		page   string
		file   string
		status int
	}{
		"no page":  {"", block(1), http.StatusForbidden},
		"garbage":  {page, "<script>alert(1)</script>", http.StatusUnprocessableEntity},
		"nothing":  {page, "", http.StatusUnprocessableEntity},
		"too many": {page, many, http.StatusUnprocessableEntity},
	} {
		if status, answer := drop(t, s, of.page, "x.stl", of.file); status != of.status || strings.Contains(answer, "goroutine") {
			t.Errorf("%s: %d: %s", name, status, answer)
		}
	}
	r, _ := http.NewRequest("POST", s.URL()+"drop?client="+page, strings.NewReader(block(1)))
	r.Header.Set("Origin", "http://evil.com")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("of another page: %v, %v", answer, err)
	}
	r, _ = http.NewRequest("POST", s.URL()+"drop?client="+page, http.NoBody)
	r.Body, r.ContentLength = http.NoBody, 0
	huge := &http.Request{Method: "POST", URL: r.URL, Host: r.Host, Header: http.Header{}, ContentLength: maxDrop + 1}
	if got := answerOf(s, huge); got != http.StatusRequestEntityTooLarge {
		t.Errorf("a file of %d bytes: %d", huge.ContentLength, got)
	}
	s.dropping.Lock()
	if status, _ := drop(t, s, page, "x.stl", block(1)); status != http.StatusServiceUnavailable {
		t.Errorf("a second file at once: %d", status)
	}
	s.dropping.Unlock()
	for range maxDropped {
		if status, answer := drop(t, s, page, "x.stl", block(1)); status != http.StatusOK {
			t.Fatal(answer)
		}
	}
	if status, answer := drop(t, s, page, "x.stl", block(1)); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "already") {
		t.Errorf("one more: %d: %s", status, answer)
	}
	q := usual("still")
	q.Client, q.Against = page, 3
	if got, _ := post(t, s, "picture.png", q); got.StatusCode != http.StatusBadRequest {
		t.Errorf("compared with a dropped file: %d", got.StatusCode)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gone := &browser{ctx: ctx}
	if _, err := s.readDropped(t.Context(), gone, "x.stl", strings.NewReader(block(1))); err == nil {
		t.Error("a page that has left is sent a file")
	}
}

// TestDropsOfAll checks the limit for the meshes of all pages together. When a page disconnects, its meshes must not
// count any more.
func TestDropsOfAll(t *testing.T) {
	s := started(t, nil)
	s.maxDroppedTriangles = 30
	c, other := dial(t, s), dial(t, s)
	first, second := c.hello(0).Client, other.hello(0).Client
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusUnprocessableEntity} {
		if status, answer := drop(t, s, []string{first, second, second}[i], "x.stl", block(1)); status != want {
			t.Errorf("file %d: %d: %s", i, status, answer)
		}
	}
	c.conn.CloseNow()
	for deadline := time.Now().Add(time.Minute); s.browser(first) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the page is known for ever")
		}
	}
	if status, answer := drop(t, s, second, "x.stl", block(1)); status != http.StatusOK {
		t.Errorf("there is no room: %s", answer)
	}
}

// TestKeptMeshes checks the cache of meshes. It must hold the meshes that were shown last, up to its limit, and always
// the newest mesh.
func TestKeptMeshes(t *testing.T) {
	s := started(t, func(o *Options) {
		o.Meshes = nil
		for i := range 4 {
			name := filepath.Join(t.TempDir(), "m.stl")
			clitest.Write(t, name, clitest.STL(cubes(12*(i+1)))) // 12, 24, 36, 48 triangles
			o.Meshes = append(o.Meshes, recipe.Mesh{File: name})
		}
	})
	s.mostCached = 60
	for _, step := range []struct {
		file int
		kept []int
	}{{0, []int{0}}, {1, []int{0, 1}}, {0, []int{1, 0}}, {2, []int{0, 2}}, {3, []int{3}}, {0, []int{3, 0}}, {2, []int{0, 2}}} {
		if _, err := s.readMesh(t.Context(), step.file); err != nil {
			t.Fatal(err)
		}
		var kept []int
		for _, c := range s.cached {
			kept = append(kept, c.file)
		}
		if !slices.Equal(kept, step.kept) {
			t.Errorf("after mesh %d: %v are kept, want %v", step.file, kept, step.kept)
		}
	}
	s.mostCached = 0
	if _, err := s.readMesh(t.Context(), 1); err != nil || len(s.cached) != 1 || s.cached[0].file != 1 {
		t.Errorf("%d are kept where there is no room", len(s.cached))
	}
}

// cubes returns n triangles of cubes.
func cubes(n int) (triangles []clitest.Triangle) {
	for len(triangles) < n {
		triangles = append(triangles, clitest.Cube([3]float32{float32(len(triangles)), 0, 0}, 1)...)
	}
	return triangles[:n]
}

// A statusWriter remembers the status of a response.
type statusWriter struct {
	header http.Header
	status int
}

func (w *statusWriter) Header() http.Header         { return w.header }
func (w *statusWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusWriter) WriteHeader(status int)      { w.status = status }

// answerOf returns the status of the response to a request.
func answerOf(s *Server, r *http.Request) int {
	w := &statusWriter{header: http.Header{}}
	s.server.Handler.ServeHTTP(w, r)
	return w.status
}

// TestDropName checks that names of dropped files contain no folders, scenes and flags.
func TestDropName(t *testing.T) {
	for name, want := range map[string]string{
		"part.stl": "part.stl", "../../etc/passwd": "passwd", `C:\x\part.stl`: "part.stl", "scene:cube": "scene_cube", "-": "dropped", "": "dropped",
		"..": "dropped", "--o.stl": "o.stl", "a\nb\x00.stl": "a_b_.stl", "\xff.stl": "_.stl",
		strings.Repeat("ä", 90) + ".stl": strings.Repeat("ä", 48) + ".stl",
	} {
		if got := dropName(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}
