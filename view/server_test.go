package view

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	"image/png"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// A client is a socket that is connected to a viewer.
type client struct {
	t    testing.TB
	conn *websocket.Conn
	seq  uint32
}

func dial(t testing.TB, s *Server) *client {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), strings.Replace(s.URL(), "http", "ws", 1)+"socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(64 << 20)
	t.Cleanup(func() { c.CloseNow() })
	return &client{t: t, conn: c}
}

// usual returns a request for a small picture.
func usual(kind string) request {
	return request{Kind: kind, Size: recipe.Size{Width: 64, Height: 48}}
}

// ask sends a request and returns the reply.
func (c *client) ask(r request) (kind websocket.MessageType, answer []byte) {
	c.t.Helper()
	c.seq++
	r.Seq = c.seq
	text, err := json.Marshal(r)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, text); err != nil {
		c.t.Fatal(err)
	}
	kind, answer, err = c.conn.Read(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return kind, answer
}

// TestStill compares the still picture, the saved picture and the copied recipe with the file that render writes.
func TestStill(t *testing.T) {
	s := started(t, nil)
	c := dial(t, s)
	line := recipe.Lines{Edges: true, Axes: true}
	for i, change := range []func(p *recipe.Picture){
		func(*recipe.Picture) {},
		func(p *recipe.Picture) { p.Camera.View = &recipe.View{Azimuth: 70, Elevation: -20} },
		func(p *recipe.Picture) { p.Lines = line },
		func(p *recipe.Picture) {
			p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{1, 0, 0}, Offset: 30, Percent: true, Keep: '>'}}
		},
		func(p *recipe.Picture) {
			p.Camera.Eye, p.Camera.Target, p.Camera.Fov = &recipe.Point{30, -40, 25}, &recipe.Point{1, 2, 3}, 40
		},
		func(p *recipe.Picture) { p.Look.Shading, p.Look.Samples, p.Look.Background = "flat", 1, "none" },
	} {
		r := usual("still")
		change(&r.Picture)
		r.Fine = 1
		p := r.Picture
		p.Size, p.Meshes = r.Size, s.options.Meshes[:1]
		var want bytes.Buffer
		if err := new(recipe.Drawer).PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		kind, answer := c.ask(r)
		if kind != websocket.MessageBinary || binary.LittleEndian.Uint32(answer) != c.seq || answer[4] != still || !bytes.Equal(answer[headerBytes:], want.Bytes()) {
			t.Errorf("state %d: the still is another picture: %.80q", i, answer)
		}
		if got, body := post(t, s, "picture.png", r); got.Header.Get("Content-Type") != "image/png" || !bytes.Equal(body, want.Bytes()) {
			t.Errorf("state %d: the saved picture is another one", i)
		}
		_, body := post(t, s, "command", r)
		var command struct {
			Command string
			Recipe  recipe.Picture
		}
		if err := json.Unmarshal(body, &command); err != nil || !strings.HasPrefix(command.Command, "render -o picture.png --size=64x48") {
			t.Fatalf("%v: %s", err, body)
		}
		parsed, err := recipe.Parse(command.Recipe.Args())
		if err != nil || parsed.String() != p.Normal().String() {
			t.Errorf("state %d: the command is that of %v, %v", i, parsed, err)
		}
	}
}

// TestMove draws movements. The level of the movements must change if the server is slow, and each movement must have
// the number of its request.
func TestMove(t *testing.T) {
	s := started(t, nil)
	c := dial(t, s)
	levels := map[byte]bool{}
	for i := range 60 {
		r, want := usual("move"), "jpeg"
		r.Trip, r.Shown = 60, c.seq
		s.drawing.Lock()
		time.AfterFunc(50*time.Millisecond, s.drawing.Unlock)
		if i%7 == 3 {
			r.Picture.Look.Background, want = "none", "png"
		}
		kind, answer := c.ask(r)
		if kind != websocket.MessageBinary || binary.LittleEndian.Uint32(answer) != c.seq || answer[4] != moving {
			t.Fatalf("%v: %.100q", kind, answer)
		}
		pic, file, err := image.Decode(bytes.NewReader(answer[headerBytes:]))
		if err != nil || file != want {
			t.Fatalf("%s, want %s: %v", file, want, err)
		}
		levels[answer[5]] = true
		if w := pic.Bounds().Dx(); w != 64 && w != 32 && w != 21 {
			t.Fatalf("a movement is %d pixels wide", w)
		}
	}
	if len(levels) < 2 {
		t.Errorf("trips of 60 ms that the server takes are drawn by the levels %v", levels)
	}
}

// TestPick checks the point, the corner and the normal of a picked face of the cube.
func TestPick(t *testing.T) {
	s := started(t, nil)
	c := dial(t, s)
	r := usual("pick")
	r.Picture.Camera = recipe.Camera{View: &recipe.View{}, Projection: "orthographic"}
	r.At = [2]float64{32.5, 24.5}
	var got pickAnswer
	if _, answer := c.ask(r); json.Unmarshal(answer, &got) != nil || !got.Hit || got.Normal != [3]float64{0, -1, 0} {
		t.Fatalf("%s", answer)
	}
	if face := got.Point[1]; face != -10 {
		t.Errorf("the front is at %v", got.Point)
	}
	for d, v := range got.Corner {
		if v != 10 && v != -10 {
			t.Errorf("corner %v: coordinate %d is %v", got.Corner, d, v)
		}
	}
	r.At = [2]float64{1, 1}
	if _, answer := c.ask(r); json.Unmarshal(answer, &got) != nil || got.Hit {
		t.Errorf("%s", answer)
	}
	for _, at := range [][2]float64{{-1e9, 1e9}, {-1, 24.5}, {-1, 0.5}, {32.5, -1}, {64, 24.5}, {32.5, 48}} {
		r.At = at
		if _, answer := c.ask(r); json.Unmarshal(answer, &got) != nil || got.Hit {
			t.Errorf("%v: %s", at, answer)
		}
	}
}

// TestPickRim checks that a pick near the rim of a disc finds it, in the coordinates of the file, for the mesh that
// is shown.
func TestPickRim(t *testing.T) {
	disc := func(radius float32) string {
		var all []clitest.Triangle
		const n = 24
		at := func(i int, z float32) [3]float32 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i%n) / n)
			return [3]float32{5 + radius*float32(cos), 6 + radius*float32(sin), 7 + z}
		}
		for i := range n {
			all = append(all, clitest.Triangle{at(0, 1), at(i, 1), at(i+1, 1)}, clitest.Triangle{at(i, 0), at(i+1, 0), at(i+1, 1)}, clitest.Triangle{at(i, 0), at(i+1, 1), at(i, 1)})
		}
		return clitest.STL(all)
	}
	s := started(t, func(o *Options) {
		o.Meshes = nil
		for _, radius := range []float32{4, 3} {
			file := filepath.Join(t.TempDir(), "disc.stl")
			clitest.Write(t, file, disc(radius))
			o.Meshes = append(o.Meshes, recipe.Mesh{File: file})
		}
	})
	c := dial(t, s)
	for file, diameter := range []float64{8, 6} {
		r := usual("pick")
		r.File = file
		r.Size = recipe.Size{Width: 640, Height: 640}
		r.Picture.Camera = recipe.Camera{View: &recipe.View{Elevation: 90}, Projection: "orthographic"}
		for _, place := range []struct {
			at  [2]float64
			rim bool
		}{{[2]float64{320, 320}, false}, {[2]float64{320 + 280, 320}, true}, {[2]float64{320, 320 - 280}, true}, {[2]float64{320 + 230, 320}, false}} {
			r.At = place.at
			var got pickAnswer
			if _, answer := c.ask(r); json.Unmarshal(answer, &got) != nil || !got.Hit || (got.Rim != nil) != place.rim {
				t.Fatalf("%v: %s", place, answer)
			}
			if rim := got.Rim; rim != nil {
				off := 0.0
				for axis, want := range [3]float64{5, 6, 8} {
					off = max(off, math.Abs(rim.Center[axis]-want))
				}
				if off > 1e-5 || math.Abs(rim.Diameter-diameter) > 1e-5 || rim.Arc != 2*math.Pi {
					t.Errorf("%v: %+v", place, rim)
				}
			}
		}
		// A section cuts the rim off.
		r.At = [2]float64{320 + 280, 320}
		r.Picture.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 7.5, Keep: '<'}}
		var got pickAnswer
		if _, answer := c.ask(r); json.Unmarshal(answer, &got) != nil || !got.Hit || got.Rim != nil && math.Abs(got.Rim.Center[2]-8) < 1e-5 {
			t.Errorf("after a section: %s", answer)
		}
	}
}

// TestHello checks the description of a mesh, and the camera that is fitted to it.
func TestHello(t *testing.T) {
	s := started(t, func(o *Options) {
		o.Picture.Lines.Edges = true
		o.Meshes[0].File = filepath.Join(t.TempDir(), "<script>alert(1)<b>.stl")
		clitest.Write(t, o.Meshes[0].File, clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 1)))
	})
	c := dial(t, s)
	r := usual("file")
	var h hello
	if _, answer := c.ask(r); json.Unmarshal(answer, &h) != nil || h.Triangles != 12 || h.Box != [2][3]float64{{0, 1, 2}, {2, 3, 4}} || h.Up != [3]float64{0, 0, 1} {
		t.Fatalf("%s", answer)
	}
	if h.Camera.Fov < 29.9 || h.Camera.Fov > 30.1 || h.Name != "<script>alert(1)<b>.stl" || len(h.Parts) != 1 || *h.Parts[0].Area != 24 {
		t.Errorf("%+v", h)
	}
	var p recipe.Picture
	if err := json.Unmarshal(h.Picture, &p); err != nil || !p.Lines.Edges || len(p.Meshes) != 0 {
		t.Errorf("%v: %s", err, h.Picture)
	}
	// A picture can be drawn with the fitted camera.
	still := usual("still")
	still.Picture.Camera = recipe.Camera{}
	_, fitted := c.ask(still)
	eye, target, up := recipe.Point(h.Camera.Eye), recipe.Point(h.Camera.Target), recipe.Point(h.Camera.Upward)
	still.Picture.Camera = recipe.Camera{Eye: &eye, Target: &target, Upward: &up}
	_, placed := c.ask(still)
	a, err := png.Decode(bytes.NewReader(fitted[headerBytes:]))
	b, err2 := png.Decode(bytes.NewReader(placed[headerBytes:]))
	if err != nil || err2 != nil || a.Bounds() != b.Bounds() {
		t.Fatal(err, err2)
	}
}

// TestRequestsAreRefused sends requests that no page sends. Each of them must end the connection.
func TestRequestsAreRefused(t *testing.T) {
	s := started(t, nil)
	for name, text := range map[string]string{
		"no JSON":                `{`,
		"unknown field":          `{"kind":"move","size":"64x48","picture":{"version":1},"evil":1}`,
		"another mesh":           `{"kind":"still","size":"64x48","picture":{"version":1,"meshes":[{"file":"/etc/passwd"}]}}`,
		"mesh 2":                 `{"kind":"still","size":"64x48","file":2,"picture":{"version":1}}`,
		"mesh -1":                `{"kind":"still","size":"64x48","file":-1,"picture":{"version":1}}`,
		"30000 pixels":           `{"kind":"still","size":"30000x30000","picture":{"version":1}}`,
		"no pixels":              `{"kind":"still","size":"0x0","picture":{"version":1}}`,
		"not a number":           `{"kind":"still","size":"64x48","picture":{"version":1,"camera":{"eye":["NaN",0,0]}}}`,
		"1e999":                  `{"kind":"still","size":"64x48","picture":{"version":1,"camera":{"zoom":1e999}}}`,
		"a trip":                 `{"kind":"move","size":"64x48","trip":-5,"picture":{"version":1}}`,
		"a sheet":                `{"kind":"still","size":"64x48","picture":{"version":1,"sheet":4}}`,
		"a recipe of the future": `{"kind":"still","size":"64x48","picture":{"version":9}}`,
		"too long":               `{"kind":"still","size":"64x48","picture":{"version":1,"lines":{"label":"` + strings.Repeat("x", maxMessage) + `"}}}`,
	} {
		c := dial(t, s)
		if err := c.conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, answer, err := c.conn.Read(t.Context()); err == nil {
			t.Errorf("%s: answered by %.100s", name, answer)
		}
		if answer, err := http.Post(s.URL()+"picture.png", "application/json", strings.NewReader(text)); err != nil || answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v, %v", name, answer, err)
		}
	}
	// A request that is impossible only for this mesh gets a reply.
	c := dial(t, s)
	for _, change := range []func(p *recipe.Picture){
		func(p *recipe.Picture) { p.Look.Field = "heat" },
		func(p *recipe.Picture) { p.Parts.Hide = []recipe.Part{"9"} },
		func(p *recipe.Picture) { p.Camera.Zoom = -1 },
		func(p *recipe.Picture) { p.Camera.Eye = &recipe.Point{} },
		func(p *recipe.Picture) {
			p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 1e6, Keep: '>'}}
		},
	} {
		for _, kind := range []string{"move", "still", "pick", "fit", "no such kind"} {
			r := usual(kind)
			change(&r.Picture)
			if got, answer := c.ask(r); got == websocket.MessageText && !json.Valid(answer) {
				t.Errorf("%s: %s", kind, answer)
			}
		}
	}
}

// TestOrigins checks that pages of other sites, other names for this machine, and other machines without the token
// are refused.
func TestOrigins(t *testing.T) {
	s := started(t, nil)
	socket := strings.Replace(s.URL(), "http", "ws", 1) + "socket"
	if _, _, err := websocket.Dial(t.Context(), socket, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://evil.com"}}}); err == nil {
		t.Error("a socket of another page")
	}
	if _, _, err := websocket.Dial(t.Context(), socket, &websocket.DialOptions{Host: "evil.com"}); err == nil {
		t.Error("a socket by a foreign name")
	}
	r, _ := http.NewRequest("POST", s.URL()+"picture.png", strings.NewReader(`{"kind":"still","size":"64x48","picture":{"version":1}}`))
	r.Header.Set("Origin", "http://evil.com")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("a request of another page: %v, %v", answer, err)
	}
	for _, path := range []string{"../server.go", "assets/../server.go", "%2e%2e/doc.go", "assets", "socket"} {
		answer, err := http.Get(s.URL() + path)
		if err != nil || answer.StatusCode < 400 {
			t.Errorf("%s: %v, %v", path, answer, err)
		}
	}
	if _, err := Start(Options{Meshes: s.options.Meshes, Listen: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("all may see it: %v", err)
	}
}

// TestRemote checks that other machines can connect with TLS and the token.
func TestRemote(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	for name, o := range map[string]Options{"a token alone": {Token: "secret"}, "a certificate alone": {TLS: &certified.TLS.Certificates[0]}} {
		o.Listen, o.Meshes = "0.0.0.0:0", []recipe.Mesh{{File: "scene:cube"}}
		if s, err := Start(o); err == nil {
			s.Close()
			t.Errorf("%s serves other machines", name)
		}
	}
	s := started(t, func(o *Options) {
		o.Listen, o.Token, o.TLS = "0.0.0.0:0", "secret", &certified.TLS.Certificates[0]
	})
	web := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer web.CloseIdleConnections()
	base := fmt.Sprintf("https://127.0.0.1:%d/", s.listen.Addr().(*net.TCPAddr).Port)
	for path, want := range map[string]int{"": 401, "?token=wrong": 401, "?token=": 401, "view.js": 401, "socket": 401, "?token=secret": 303} {
		r, _ := http.NewRequest("GET", base+path, nil)
		r.Header.Set("Referer", base+"?token=secret")
		answer, err := web.Do(r)
		if err != nil || answer.StatusCode != want {
			t.Errorf("%q: %v, %v", path, answer, err)
		}
	}
}

// TestBrowsersAtOnce checks that eight browsers are served and a ninth is refused, until one disconnects.
func TestBrowsersAtOnce(t *testing.T) {
	s := started(t, nil)
	var all []*client
	for range maxClients {
		all = append(all, dial(t, s))
	}
	if _, answer, err := websocket.Dial(t.Context(), strings.Replace(s.URL(), "http", "ws", 1)+"socket", nil); err == nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a ninth browser: %v", err)
	}
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			for range 5 {
				for _, kind := range []string{"file", "move", "pick", "still"} {
					c.ask(usual(kind))
				}
			}
		})
	}
	wg.Wait()
	all[0].conn.CloseNow()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		c, _, err := websocket.Dial(t.Context(), strings.Replace(s.URL(), "http", "ws", 1)+"socket", nil)
		if err == nil {
			c.CloseNow()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestSlowReader checks that the server disconnects from a browser that does not read, and not from one that reads.
func TestSlowReader(t *testing.T) {
	for name, reads := range map[string]bool{"slow": false, "fast": true} {
		s := &Server{sendTime: 50 * time.Millisecond}
		if reads {
			s.sendTime = time.Minute
		}
		sent := make(chan error, 1)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err == nil {
				err = s.send(r.Context(), c, make([]byte, 32<<20), true)
				c.CloseNow()
			}
			sent <- err
		}))
		c, _, err := websocket.Dial(t.Context(), strings.Replace(web.URL, "http", "ws", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		c.SetReadLimit(64 << 20)
		if reads {
			if _, message, err := c.Read(t.Context()); err != nil || len(message) != 32<<20 {
				t.Errorf("%s: %d bytes, %v", name, len(message), err)
			}
		}
		if err := <-sent; (err == nil) != reads {
			t.Errorf("%s: sending ends with %v", name, err)
		}
		c.CloseNow()
		web.Close()
	}
}

// TestNothingStays connects and disconnects often, sometimes during a picture. No goroutine may be left.
func TestNothingStays(t *testing.T) {
	s := started(t, nil)
	count := func() int {
		runtime.GC()
		return runtime.NumGoroutine()
	}
	before := count()
	for i := range 100 {
		c := dial(t, s)
		text, _ := json.Marshal(usual([]string{"move", "still", "pick", "file"}[i%4]))
		if err := c.conn.Write(t.Context(), websocket.MessageText, text); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			c.conn.Read(t.Context())
		}
		c.conn.CloseNow()
		for len(s.clients) == maxClients {
			time.Sleep(time.Millisecond)
		}
	}
	for deadline := time.Now().Add(time.Minute); count() > before+3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			var b bytes.Buffer
			t.Fatalf("%d goroutines, %d before\n%s", count(), before, b.String())
		}
	}
}

// TestOvertaken checks that a new movement replaces older ones that are waiting, and that it replaces no clicks.
func TestOvertaken(t *testing.T) {
	m := newMailbox()
	for i, kind := range []string{"still", "pick", "move", "move", "pick", "move", "still"} {
		m.put(&request{Kind: kind, Seq: uint32(i)})
	}
	got := ""
	for range 4 {
		r := m.take(t.Context())
		got += fmt.Sprint(r.Kind, r.Seq, " ")
	}
	if got != "pick1 pick4 move5 still6 " {
		t.Error(got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if m.take(ended) != nil {
		t.Error("a request after the last")
	}
	for i := range 100 {
		m.put(&request{Kind: "pick", Seq: uint32(i)})
	}
	if len(m.waiting) != maxWaiting || m.waiting[maxWaiting-1].Seq != 99 {
		t.Errorf("%d requests wait", len(m.waiting))
	}
}

// TestCalledOff checks that a movement prevents a still picture before it begins, and interrupts it while it is
// drawn. The browser then gets only the movement.
func TestCalledOff(t *testing.T) {
	m := newMailbox()
	called := 0
	if !m.beginStill(func() { called++ }) {
		t.Error("a picture that stands may not begin, and nothing moves")
	}
	m.put(&request{Kind: "pick"})
	m.put(&request{Kind: "move"})
	if called != 1 || m.beginStill(nil) {
		t.Errorf("a movement ends %d pictures that stand", called)
	}
	m.put(&request{Kind: "move"})
	if called != 1 {
		t.Error("a movement ends what is not drawn any more")
	}
	s := started(t, nil)
	session := &session{server: s}
	defer session.close()
	still := usual("still")
	if message, _, err := s.answer(t.Context(), session, m, &still); message != nil || err != nil {
		t.Errorf("%d bytes of a picture that stands before a movement (%v)", len(message), err)
	}
	m.take(t.Context()) // takes the pick from the queue
	m.take(t.Context())
	if message, _, err := s.answer(t.Context(), session, m, &still); len(message) < headerBytes || message[4] != 1 || err != nil {
		t.Errorf("no picture that stands: %.40q, %v", message, err)
	}
}

// TestQuality checks that the level stays while round trips are short, and after a single late one. After many late
// round trips the level must become faster. After short round trips it must become finer again.
func TestQuality(t *testing.T) {
	q, err := newQuality("", 1000)
	if err != nil {
		t.Fatal(err)
	}
	first := q.level
	for range 3 {
		q.observe(movement{q.level, 25, 25 - 5})
	}
	q.observe(movement{q.level, 90, 90 - 5}) // a single late picture
	q.observe(movement{q.level, 25, 25 - 5})
	if q.level != first {
		t.Errorf("level %d after one late movement", q.level)
	}
	for range 30 {
		q.observe(movement{q.level, 200, 200 - 5})
	}
	if slow := q.level; slow <= first {
		t.Errorf("level %d after 30 late movements", slow)
	}
	for range 400 {
		q.observe(movement{q.level, 5, 0})
	}
	if q.level != 0 {
		t.Errorf("level %d after as many fast movements as there are levels", q.level)
	}
	fixed, _ := newQuality("never", 1000)
	for range 100 {
		fixed.observe(movement{fixed.level, 500, 500 - 5})
	}
	if fixed.level != first {
		t.Errorf("never changes to %d", fixed.level)
	}
	if _, err := newQuality("no such rule", 1); err == nil {
		t.Error("an unknown rule")
	}
}

func TestQuoted(t *testing.T) {
	for arg, want := range map[string]string{"a-b_c=1,2": "a-b_c=1,2", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "--section=z<5": "'--section=z<5'"} {
		if got := shellQuoted(arg); got != want {
			t.Errorf("%q: %s", arg, got)
		}
	}
}
