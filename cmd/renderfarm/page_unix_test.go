//go:build unix

package main

import (
	"bytes"
	"crypto/tls"
	"image/png"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// pageLine matches the line with the address of a status page.
var pageLine = regexp.MustCompile(`status page: (\S+)`)

// startShown starts a command with a status page and returns the page's address.
func startShown(t *testing.T, dir string, args ...string) (url string, c *exec.Cmd) {
	t.Helper()
	c = command(t, dir, args...)
	var text outputCollector
	c.Stdout, c.Stderr = &text, os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Signal(os.Interrupt); c.Wait() })
	waitFor(t, func() bool { return pageLine.MatchString(text.String()) })
	return pageLine.FindStringSubmatch(text.String())[1], c
}

// ask requests a path of a page. It accepts self-signed certificates.
func ask(t *testing.T, url string) (code int, body []byte) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	answer, err := client.Get(url)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, body
}

// filmLabel matches a film's ID in metrics.
var filmLabel = regexp.MustCompile(`lockstep_film_frames\{film="([0-9a-f]+)".*state="done"\} [1-9]`)

// TestFilmPage checks that the page of a film shows its pictures as they are on the disk, and the mesh in the colours
// of its owners.
func TestFilmPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, _ := startShown(t, dir, "film", "scene:knot?triangles=60k", "--turntable", "--frames", "20000", "-s", "160x120", "--fast", "-o", "out",
		"--nodes", "2", "--split", "always", "--when", "never", "--status-page", "localhost:0")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("address %s", url)
	}
	var id string
	waitFor(t, func() bool {
		_, body := ask(t, url+"metrics")
		if m := filmLabel.FindSubmatch(body); m != nil {
			id = string(m[1])
		}
		return id != ""
	})
	code, picture := ask(t, url+"films/"+id+"/frames/0")
	if want := clitest.Read(t, filepath.Join(dir, "out", "knot_00000.png")); code != 200 || !bytes.Equal(picture, want) {
		t.Errorf("picture: %d, %d bytes, want %d", code, len(picture), len(want))
	}
	if code, small := ask(t, url+"films/"+id+"/frames/0/thumbnail"); code != 200 || !bytes.HasPrefix(small, []byte{0xff, 0xd8}) {
		t.Errorf("thumbnail: %d", code)
	}
	code, drawn := ask(t, url+"films/"+id+"/map")
	m, err := png.Decode(bytes.NewReader(drawn))
	if code != 200 || err != nil || m.Bounds().Dx() != film.MapWidth || m.Bounds().Dy() != film.MapWidth*3/4 {
		t.Fatalf("map: %d, %v", code, err)
	}
	var blue, orange, other int // numbers of pixels in the colours of the two nodes and in other colours, in any light
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			r, _, b, _ := m.At(x, y).RGBA()
			switch ratio := math.Log2(float64(b+1) / float64(r+1)); {
			case ratio > 1:
				blue++
			case ratio < -1:
				orange++
			default:
				other++
			}
		}
	}
	if least := film.MapWidth * film.MapWidth / 50; blue < least || orange < least || other < least {
		t.Errorf("map of %d blue, %d orange and %d other pixels", blue, orange, other)
	}
}

// TestServePage checks that a server shows all films to other machines that have the token, and that the token stays
// the same.
func TestServePage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, c := startShown(t, dir, "serve", "--dir", "farm", "--listen", "127.0.0.1:"+clitest.FreePort(t), "--status-page", "0.0.0.0:"+clitest.FreePort(t))
	if !regexp.MustCompile(`^https://.*:\d+/\?token=[0-9a-f]{32}$`).MatchString(url) {
		t.Errorf("address %s", url)
	}
	port := regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(url)[1]
	here := "https://127.0.0.1:" + port + "/"
	if code, _ := ask(t, here+"metrics"); code != http.StatusUnauthorized {
		t.Errorf("metrics without a token: %d", code)
	}
	token := url[strings.Index(url, "?"):]
	if code, body := ask(t, here+"metrics"+token); code != 200 || !bytes.Contains(body, []byte("lockstep_nodes 0\n")) {
		t.Errorf("metrics: %d %s", code, body)
	}
	if info, err := os.Stat(filepath.Join(dir, "farm", pageToken)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token: %v, %v", info, err)
	}
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if again, _ := startShown(t, dir, "serve", "--dir", "farm", "--listen", "127.0.0.1:"+clitest.FreePort(t), "--status-page", "0.0.0.0:"+port); again != url {
		t.Errorf("address %s, then %s", url, again)
	}
	for _, bad := range []string{"nowhere", "localhost:x", "localhost:70000"} {
		run(t, dir, "", "serve", "--dir", "other", "--status-page", bad).Want(t, cli.Usage)
	}
}
