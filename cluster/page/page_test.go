package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"lockstep/cluster/link"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/webguard"
)

// A gallery has pictures of a single colour for frames that are drawn, and the owners of shared films.
type gallery struct{ owners *Owners }

func (g *gallery) Picture(_ context.Context, job cluster.Job, frame int) ([]byte, error) {
	if frame == 9 {
		return []byte("<script>alert(1)</script>"), nil
	}
	if frame >= 8 {
		return nil, fmt.Errorf("/secret/place: %w", fs.ErrNotExist)
	}
	return flat(color.RGBA{uint8(20 * frame), 0x80, 0, 0xff}), nil
}

func flat(c color.Color) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 640, 360))
	for i := range m.Pix {
		r, g, b, a := c.RGBA()
		m.Pix[i] = [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}[i%4]
	}
	var b bytes.Buffer
	png.Encode(&b, m)
	return b.Bytes()
}

func (g *gallery) Owners(cluster.Job) *Owners { return g.owners }
func (g *gallery) Map(context.Context, cluster.Job) ([]byte, error) {
	return flat(color.RGBA{0, 0x72, 0xb2, 0xff}), nil
}

// hostile is a name that HTML and labels of metrics must escape.
const hostile = `<img src=x onerror="document.title='broken in'">"\` + "\n"

// A set is a cluster with a film of ten frames. The film has a hostile name.
type set struct {
	conn *cluster.Cluster
	job  cluster.Job
}

func newSet(t *testing.T) *set {
	t.Helper()
	s, err := server.Start(server.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	conn, err := cluster.Dial(t.Context(), cluster.Address{URL: "nats://" + s.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	must(t, conn.Prepare(t.Context(), cluster.Limits{}))
	job, err := conn.Submit(t.Context(), cluster.Job{ID: "film-1", Name: hostile, Frames: 10})
	must(t, err)
	return &set{conn, job}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// done records frames as drawn.
func (s *set) done(t *testing.T, frames ...int) {
	t.Helper()
	for _, k := range frames {
		must(t, s.conn.Record(t.Context(), s.job, k, &cluster.Done{Hash: "h", Node: "node-<b>", Seconds: 2, Bytes: 100}))
	}
}

func (s *set) start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Cluster = s.conn
	if o.Gallery == nil {
		o.Gallery = &gallery{}
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	p, err := Start(o)
	must(t, err)
	t.Cleanup(p.Close)
	return p
}

// The method get requests a path and returns the response and its body.
func (s *Server) get(t *testing.T, path string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.listener.Addr().String()+path, nil)
	must(t, err)
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer, string(body)
}

// The function read returns the next event for browsers.
func read(t *testing.T, lines *bufio.Scanner) (n event) {
	t.Helper()
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			must(t, json.Unmarshal([]byte(text), &n))
			return n
		}
	}
	t.Fatalf("the news ended: %v", lines.Err())
	return n
}

// TestNews checks that events contain the progress of the film. They must contain each frame that is drawn or fails
// exactly once.
func TestNews(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	s.done(t, 3)
	p := s.start(t, Options{})
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.URL()+"events", nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	n := read(t, lines)
	if !n.Again {
		t.Error("a new browser is not told to ask for all frames")
	}
	for len(n.Films) == 0 || n.Films[0].Done != 1 {
		n = read(t, lines)
	}
	s.done(t, 0, 5)
	must(t, s.conn.Fail(t.Context(), s.job, 7, &cluster.Failure{Node: "a", Error: "out of paint"}))
	states := map[int]string{}
	for len(states) < 3 {
		n = read(t, lines)
		for _, c := range n.Frames {
			if states[c.Frame] != "" && c.Frame != 3 {
				t.Errorf("frame %d twice", c.Frame)
			}
			if c.Frame != 3 {
				states[c.Frame] = c.State
			}
		}
	}
	if states[0] != "d" || states[5] != "d" || states[7] != "f" {
		t.Errorf("%v", states)
	}
	f := n.Films[0]
	if f.Name != hostile || f.Frames != 10 || f.Done != 3 || f.Failed != 1 || f.State != "drawing" || f.Seconds != 6 || f.Bytes != 300 {
		t.Errorf("%+v", f)
	}
	if len(f.Failures) != 1 || f.Failures[0] != (failure{7, "a", "out of paint"}) {
		t.Errorf("failures %+v", f.Failures)
	}
	if _, body := p.get(t, "/films/film-1/frames", nil); body != "d..d.d.f.." {
		t.Errorf("frames %q", body)
	}
	must(t, s.conn.Retry(t.Context(), s.job.ID))
	for n.Films[0].Failed != 0 {
		n = read(t, lines)
	}
	if _, body := p.get(t, "/films/film-1/frames", nil); body != "d..d.d...." {
		t.Errorf("frames %q after they were asked for again", body)
	}
}

// TestPictures checks the content types of pictures and thumbnails. A file that is not a picture must not be sent as a
// picture. Errors must not name folders.
func TestPictures(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	p := s.start(t, Options{})
	for _, body := p.get(t, "/films/film-1/frames", nil); len(body) != 10; _, body = p.get(t, "/films/film-1/frames", nil) {
		time.Sleep(10 * time.Millisecond)
	}
	answer, body := p.get(t, "/films/film-1/frames/2", nil)
	if answer.Header.Get("Content-Type") != "image/png" || body != string(flat(color.RGBA{40, 0x80, 0, 0xff})) {
		t.Errorf("picture: %v", answer.Header)
	}
	tag := answer.Header.Get("ETag")
	if again, body := p.get(t, "/films/film-1/frames/2", func(r *http.Request) { r.Header.Set("If-None-Match", tag) }); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("picture that the browser has: %s", again.Status)
	}
	answer, body = p.get(t, "/films/film-1/frames/2/thumbnail", nil)
	m, err := jpeg.Decode(strings.NewReader(body))
	if err != nil || m.Bounds().Dx() != 160 || m.Bounds().Dy() != 90 || answer.Header.Get("Content-Type") != "image/jpeg" {
		t.Fatalf("thumbnail: %v, %v", err, answer.Header)
	}
	if r, g, b, _ := m.At(80, 45).RGBA(); max(r>>8, 40)-min(r>>8, 40) > 3 || max(g>>8, 128)-min(g>>8, 128) > 3 || b>>8 > 3 {
		t.Errorf("thumbnail has colour %d %d %d, want 40 128 0", r>>8, g>>8, b>>8)
	}
	if answer, _ := p.get(t, "/films/film-1/frames/9", nil); answer.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("a file that is no picture comes as %s", answer.Header.Get("Content-Type"))
	}
	for path, code := range map[string]int{
		"/films/film-1/frames/8": 404, "/films/film-1/frames/10": 404, "/films/film-1/frames/-1": 404, "/films/film-1/frames/x": 404,
		"/films/film-2/frames/1": 404, "/films/film-2/frames": 404, "/films/film-1/frames/8/thumbnail": 404, "/films/film-1/frames/9/thumbnail": 500,
		"/assets/page.js": 404, "/..%2fpage.go": 404, "/films/film-2/map": 404, "/films/film-1/map": 200,
	} {
		if answer, body := p.get(t, path, nil); answer.StatusCode != code || strings.Contains(body, "secret") {
			t.Errorf("%s: %s %q, want %d", path, answer.Status, body, code)
		}
	}
}

// TestHeaders checks that every response forbids features of browsers that the page does not use. Requests must not be
// able to change anything.
func TestHeaders(t *testing.T) {
	t.Parallel()
	p := newSet(t).start(t, Options{})
	for _, path := range []string{"/", "/page.js", "/grid.js", "/style.css", "/icon.svg", "/metrics", "/films/none/frames", "/nothing"} {
		answer, body := p.get(t, path, nil)
		h := answer.Header
		if h.Get("Content-Security-Policy") != webguard.Policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
		if regexp.MustCompile(`https?://|//[a-z]+\.|<script>|style="`).MatchString(strings.Replace(body, "http://www.w3.org/2000/svg", "", 1)) {
			t.Errorf("%s names something outside, or has a script or a style in line", path)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		answer, _ := p.get(t, "/films/film-1/frames", func(r *http.Request) { r.Method = method })
		if answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %s", method, answer.Status)
		}
	}
}

// TestOtherNames checks that on loopback only requests for names of this machine are accepted.
func TestOtherNames(t *testing.T) {
	p := newSet(t).start(t, Options{})
	for host, code := range map[string]int{
		"localhost": 200, "localhost:80": 200, "127.0.0.1:80": 200, "[::1]:80": 200, "evil.example": 403, "evil.example:80": 403,
		"localhost.evil.example": 403, "10.0.0.1": 403, "": 403,
	} {
		w := newRecorder()
		p.handler().ServeHTTP(w, &http.Request{Method: "GET", Host: host, URL: must1(t, "/page.js"), Header: http.Header{}})
		if w.code != code {
			t.Errorf("host %q: %d, want %d", host, w.code, code)
		}
	}
}

// TestToken checks that other machines need the token. They may send it as a parameter, which sets a cookie, or as a
// bearer token.
func TestToken(t *testing.T) {
	s := newSet(t)
	if _, err := Start(Options{Cluster: s.conn, Gallery: &gallery{}, Listen: ":0"}); err == nil {
		t.Error("other machines may see the page without a token")
	}
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	must(t, err)
	p := s.start(t, Options{Listen: "0.0.0.0:0", Token: "sesame", TLS: cert})
	if u := p.URL(); !strings.HasPrefix(u, "https://") || !strings.HasSuffix(u, "/?token=sesame") {
		t.Errorf("address %s", u)
	}
	ask := func(path string, header ...string) *recorder {
		w := newRecorder()
		r := &http.Request{Method: "GET", Host: "farm:80", URL: must1(t, path), Header: http.Header{}}
		if len(header) == 2 {
			r.Header.Set(header[0], header[1])
		}
		p.handler().ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct {
		path   string
		header []string
		code   int
	}{
		{"/", nil, 401}, {"/metrics", nil, 401}, {"/events", nil, 401}, {"/?token=", nil, 401}, {"/?token=x", nil, 401},
		{"/metrics", []string{"Authorization", "Bearer sesame"}, 200}, {"/metrics", []string{"Authorization", "Bearer x"}, 401},
		{"/metrics", []string{"Authorization", "Bearer "}, 401}, {"/metrics", []string{"Cookie", "lockstep=sesame"}, 200},
		{"/metrics", []string{"Cookie", "lockstep=x"}, 401}, {"/metrics?token=sesame", nil, 200}, {"/?token=sesame", nil, 303},
	} {
		if w := ask(c.path, c.header...); w.code != c.code {
			t.Errorf("%s %v: %d, want %d", c.path, c.header, w.code, c.code)
		}
	}
	w := ask("/?token=sesame")
	if set := w.Header().Get("Set-Cookie"); !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "Secure") || !strings.Contains(set, "SameSite=Strict") ||
		w.Header().Get("Location") != "/" {
		t.Errorf("%v", w.Header())
	}
}

// TestPace checks that the rate decreases and the remaining time increases while no frame arrives.
func TestPace(t *testing.T) {
	now := time.Now()
	var p rateMeter
	if p.rate(now) != 0 {
		t.Error("a rate without frames")
	}
	for i := range 100 {
		p.add(now.Add(time.Duration(i) * 500 * time.Millisecond))
	}
	last := now.Add(99 * 500 * time.Millisecond)
	if r := p.rate(last.Add(500 * time.Millisecond)); r != 2 {
		t.Errorf("%v frames a second, want 2", r)
	}
	if r := p.rate(last.Add(31500 * time.Millisecond)); r != 1 {
		t.Errorf("%v frames a second after a pause, want 1", r)
	}
	f := &filmState{job: cluster.Job{Frames: 110}, done: 100, rate: p}
	if v := f.view(last); v.Left != 5 || v.State != "drawing" {
		t.Errorf("%v s left, %s; want 5, drawing", v.Left, v.State)
	}
}

// TestLog checks that a slow browser is told to request all frames again. Other browsers must receive every change.
func TestLog(t *testing.T) {
	m := newModel()
	m.setJobs([]cluster.Job{{ID: "a", Frames: 3 * maxLog}})
	_, start, _, _ := m.since(math.MaxInt)
	seen := 0
	position := start
	for k := range 2 * maxLog {
		m.setFrame("a", k, &cluster.Done{}, nil, true)
		if k%1000 == 0 {
			changes, next, lost, _ := m.since(position)
			if lost {
				t.Fatal("a browser that keeps up has lost changes")
			}
			for _, c := range changes {
				if c.frame != seen {
					t.Fatalf("frame %d, want %d", c.frame, seen)
				}
				seen++
			}
			position = next
		}
	}
	if _, _, lost, _ := m.since(start); !lost {
		t.Error("a browser that fell behind is not told")
	}
	m.setFrame("a", 0, &cluster.Done{}, nil, true) // the record was replaced
	if films, _ := m.view(time.Now()); films[0].Done != 2*maxLog {
		t.Errorf("%d frames are done, want %d", films[0].Done, 2*maxLog)
	}
	if len(m.log) > maxLog {
		t.Errorf("%d changes are kept", len(m.log))
	}
}

// TestMetrics checks that metrics are valid in Prometheus's text format, and that names are escaped.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	s.done(t, 1, 2)
	p := s.start(t, Options{})
	var body string
	for !strings.Contains(body, `state="done"} 2`) {
		time.Sleep(10 * time.Millisecond)
		_, body = p.get(t, "/metrics", nil)
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? [0-9.e+-]+)$`)
	typed := map[string]bool{}
	for l := range strings.Lines(body) {
		l = strings.TrimSuffix(l, "\n")
		if !line.MatchString(l) {
			t.Errorf("%q", l)
		}
		if words := strings.Fields(l); words[0] == "#" {
			typed[words[2]] = true
		} else if name, _, _ := strings.Cut(words[0], "{"); !typed[name] {
			t.Errorf("%s has no type", name)
		}
	}
	for _, want := range []string{
		`lockstep_film_frames{film="film-1",name="<img src=x onerror=\"document.title='broken in'\">\"\\\n",state="waiting"} 8`,
		`lockstep_film_drawing_seconds{film="film-1",name="<img src=x onerror=\"document.title='broken in'\">\"\\\n"} 4`,
		"lockstep_nodes 0", `lockstep_node_frames{node="node-<b>"} 2`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no line %s in %s", want, body)
		}
	}
}

// TestThumbnailsRest checks that thumbnails are made one at a time, in at most a tenth of the time.
func TestThumbnailsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThumbnailer()
		th.notBefore = time.Now().Add(time.Second)
		began := time.Now()
		if _, err := th.thumbnail(t.Context(), flat(color.White)); err != nil || time.Since(began) < time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		th.notBefore = time.Now().Add(time.Hour)
		cancel()
		if _, err := th.thumbnail(ctx, flat(color.Black)); err == nil {
			t.Error("a browser that left gets a thumbnail")
		}
		if small, err := th.thumbnail(t.Context(), flat(color.White)); err != nil || len(small) == 0 || time.Since(began) > time.Minute {
			t.Error("a thumbnail that is kept is made again")
		}
	})
	wide := image.NewGray(image.Rect(0, 0, 1, 1))
	var b bytes.Buffer
	png.Encode(&b, wide)
	huge := b.Bytes()
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // the header claims 65536 by 65536 pixels
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	if _, err := shrink(huge); !errors.Is(err, errTooLarge) {
		t.Errorf("a picture of 4 gigapixels: %v", err)
	}
}
