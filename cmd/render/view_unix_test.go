//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// viewed starts a viewer as a separate process and returns its address. The process ends with the test.
func viewed(t *testing.T, dir string, args ...string) (address string, cmd *exec.Cmd) {
	t.Helper()
	cmd = command(t, dir, append([]string{"view", "--no-open"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", address, err)
	}
	return strings.TrimSpace(address), cmd
}

// TestView checks that the page is served until an interrupt, which is not an error.
func TestView(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	address, cmd := viewed(t, dir, "--edges", mesh, "scene:knot?triangles=2000")
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(page), `<canvas id="stage"`) {
		t.Errorf("%v: %s", err, page)
	}
	picture, err := http.Post(address+"picture.png", "application/json", strings.NewReader(`{"kind":"still","size":"40x30","file":1,"picture":{"version":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(picture.Body)
	picture.Body.Close()
	run(t, dir, "", "-s", "40x30", "-o", "same.png", "scene:knot?triangles=2000").Want(t, cli.Done)
	if want := clitest.Read(t, dir+"/same.png"); err != nil || string(got) != string(want) {
		t.Error("the page's picture is not the command's")
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil { // Ctrl-C is the normal way to end the viewer
		t.Errorf("it ends with %v", err)
	}
}

// TestViewRefuses checks command lines that the viewer refuses.
func TestViewRefuses(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct{ args, words string }{
		{"--listen 0.0.0.0:0", "expected --cert and --cert-key, or keep 127.0.0.1 and use ssh -L"},
		{"--listen :0", "other machines could see it"},
		{"--listen nonsense", "expected host:port"},
		{"--cert a.pem", "is for addresses that other machines reach"},
		{"--policy nonsense", "nonsense"},
		{"--add scene:cube", "shows one mesh at a time"},
		{"--against scene:cube", "shows one mesh at a time"},
		{"--diff", "compares two meshes, and there are 1"},
		{"--diff scene:cube scene:knot", "compares two meshes, and there are 3"},
		{"--crease 900", "crease"},
	} {
		run(t, dir, "", append([]string{"view", "--no-open", mesh}, strings.Fields(c.args)...)...).Want(t, cli.Usage, c.words)
	}
	run(t, dir, "", "view", "--no-open", "-").Want(t, cli.Usage, "expected a file")
	run(t, dir, "", "view", "--no-open", "--listen", "0.0.0.0:0", "--cert", "no.pem", "--cert-key", "no.pem", mesh).Want(t, cli.Input, "no.pem")
}

// TestViewExport checks that a page is written, and that nothing is written if the command fails.
func TestViewExport(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	r := run(t, dir, "", "view", "--export", "turn.html", "-s", "32x24", "--progress", "always", mesh)
	r.Want(t, cli.Done)
	if !strings.Contains(r.Stderr, "drawing") {
		t.Errorf("no progress: %q", r.Stderr)
	}
	page := string(clitest.Read(t, dir+"/turn.html"))
	if n := strings.Count(page, "\n\""); n != 216 || !strings.HasSuffix(page, "</html>\n") || !strings.Contains(page, `width="32" height="24"`) {
		t.Errorf("%d pictures of 216, and ends with %q", n, page[len(page)-30:])
	}
	for _, c := range []struct {
		args  string
		code  cli.Code
		words string
	}{
		{"scene:cube", cli.Usage, "shows one mesh, and there are 2"},
		{"--no-open", cli.Usage, "needs no server"},
		{"--diff scene:cube", cli.Usage, "shows one mesh"},
		{"--listen 127.0.0.1:0", cli.Usage, "needs no server"},
		{"--eye 100,100,100", cli.Usage, "--view"},
		{"--export turn.png", cli.Usage, "expected a name with .html"},
		{"--export no/turn.html", cli.Output, "no/turn.html"},
		{"--clip-box 900,900,900,901,901,901", cli.Blank, ""},
	} {
		run(t, dir, "", append([]string{"view", "--export", "other.html", "-s", "16", mesh}, strings.Fields(c.args)...)...).Want(t, c.code, c.words)
		for _, name := range []string{"other.html", "turn.png"} {
			if _, err := os.Stat(dir + "/" + name); err == nil {
				t.Errorf("%s: there is a page", c.args)
			}
		}
	}
	run(t, dir, "", "view", "--export", "other.html", "none.stl").Want(t, cli.Input, "none.stl")
}
