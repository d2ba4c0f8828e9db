package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

func newTestPainter() *painter {
	p := &painter{app: &app{App: cli.New("render", cli.Streams{Stderr: io.Discard}), accounts: make(chan budget.Account, 1)}, workers: 1}
	p.app.accounts <- budget.New()
	return p
}

// What a node has read is drawn only if the command has read the same files: any of the meshes may be
// replaced between the two, by one that looks the same from outside, or later, before a node that ended
// reads them again.
func TestMeshReplacedBetweenReads(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	added := filepath.Join(dir, "added.stl")
	if err := os.WriteFile(added, clitest.Read(t, mesh), 0o666); err != nil {
		t.Fatal(err)
	}
	out, token := filepath.Join(dir, "out"), filepath.Join(dir, officeName, tokenName)
	if err := os.Mkdir(filepath.Dir(token), 0o777); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, token, "a word")
	spec := filmSpec{Token: "a word", Pictures: dir, Args: []string{mesh, "--add", added + ":move=2,0,0", "--turntable", "--frames", "3", "-s", "16", "-o", out}, Folder: dir, Output: out}
	opened := func() *filmFrames {
		frames := newTestPainter().openEarly(t.Context(), jsonLine(spec, false))
		if frames == nil {
			t.Fatal("it is not opened")
		}
		return frames
	}
	for _, replaced := range []string{"", mesh, added} {
		nodes := opened() // one that read the files before
		if replaced != "" {
			if err := os.Chtimes(replaced, time.Time{}, time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
		}
		commands := opened()
		film := spec
		film.Text, film.State = commands.text(), sourceState(commands.sources)
		job := cluster.Job{ID: "a", Frames: 3, Spec: jsonLine(film, false)}
		commands.Close()
		p := newTestPainter()
		ahead := p.openAhead(nodes, jsonLine(job, false))
		if (ahead != nil) != (replaced == "") {
			t.Errorf("replaced %q: opened ahead %v", replaced, ahead)
		}
		if ahead != nil {
			ahead.Frames.Close()
		}
		again, err := p.open(t.Context(), job, false)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
		if err := os.Chtimes(added, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := newTestPainter().open(t.Context(), job, false); err == nil || !strings.Contains(err.Error(), "its mesh or version differs") {
			t.Errorf("replaced %q: a node that began after another replacement: %v", replaced, err)
		}
	}
}

// A node that draws a film after one of several meshes draws the mesh alone.
func TestOneFilmAfterTheOther(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	p := newTestPainter()
	var lengths []int
	for _, more := range [][]string{{"--add", mesh + ":move=20,0,0"}, nil} {
		args := append([]string{mesh, "--turntable", "--frames", "3", "-s", "16", "-o", dir}, more...)
		frames := p.openEarly(t.Context(), jsonLine(filmSpec{Args: args, Folder: dir, Output: dir}, false))
		if frames == nil {
			t.Fatal("it is not opened")
		}
		lengths = append(lengths, frames.Input.Source.Len())
		frames.Close()
	}
	if lengths[0] != 2*lengths[1] {
		t.Errorf("%d triangles, and then %d", lengths[0], lengths[1])
	}
}

// A node that has no server yet opens no film whose files are missing here.
func TestOpenEarlyWithoutFiles(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.stl")
	for name, spec := range map[string]filmSpec{
		"files":  {Files: []filmFile{{Path: gone}}},
		"folder": {Args: []string{gone, "--turntable", "--frames", "3", "-o", "out"}, Folder: filepath.Dir(gone)},
	} {
		t.Run(name, func(t *testing.T) {
			line, err := json.Marshal(spec)
			if err != nil {
				t.Fatal(err)
			}
			p := newTestPainter()
			if frames := p.openEarly(t.Context(), line); frames != nil {
				t.Errorf("it is opened: %+v", frames)
			}
		})
	}
}

// A node begins when the last line of its command comes, and not with that of its address; one that no
// command started, at once; and one whose command ends before the last line ends.
func TestNodesWaitForTheLastLine(t *testing.T) {
	node := nodeCommand{Child: true}
	lines, command := io.Pipe()
	ended := make(chan bool)
	begin := node.watchInput(bufio.NewReader(lines), true, func() { close(ended) })
	select {
	case <-begin:
		t.Error("it begins before there are frames")
	case <-time.After(10 * time.Millisecond): // one that does not wait has begun by then
	}
	io.WriteString(command, "\n")
	<-begin
	select {
	case <-ended:
		t.Error("it ends before its command")
	default:
	}
	command.Close()
	<-ended

	ended = make(chan bool)
	<-node.watchInput(bufio.NewReader(strings.NewReader("")), true, func() { close(ended) })
	<-ended
	<-(&nodeCommand{}).watchInput(nil, false, nil)
}

// Nodes are told to begin only after the frames are in the queue, and where the server is only when that is known.
func TestLinesForNodes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &office{ctx: ctx, film: newFilmLine(filmSpec{Output: "o"}, false), known: make(chan struct{}), queued: make(chan struct{})}
	lines, told := io.Pipe()
	ended := make(chan bool)
	go func() { o.tell(told); told.Close(); close(ended) }()
	heard := bufio.NewReader(lines)
	next := func() string { line, _ := heard.ReadString('\n'); return line }
	if line := next(); !strings.Contains(line, `"output":"o"`) {
		t.Errorf("the command line: %q", line)
	}
	close(o.queued) // what is known too early waits for its turn
	o.film.set(cluster.Job{ID: "f"}, false)
	if line := next(); !strings.Contains(line, `"f"`) {
		t.Errorf("the film: %q", line)
	}
	o.line = "nats://here\n"
	close(o.known)
	if got := next() + next(); got != "nats://here\n\n" {
		t.Errorf("the address and the last line: %q", got)
	}
	<-ended
	// When the command ends before it knows a film, tell must end too.
	o.film = newFilmLine(filmSpec{}, true)
	ended = make(chan bool)
	go func() { o.tell(io.Discard); close(ended) }()
	cancel()
	<-ended
}

// A command that left the normals for later, as it may never draw, draws the same pictures as a node.
func TestRefereeFindsNormals(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	spec := filmSpec{Args: []string{mesh, "--turntable", "--frames", "3", "-s", "32", "--crease", "180", "-o", dir}, Folder: dir, Output: dir}
	node := newTestPainter().openEarly(t.Context(), jsonLine(spec, false))
	if node == nil {
		t.Fatal("it is not opened")
	}
	defer node.Close()
	p := newTestPainter()
	p.app.lateNormals = true
	referee := p.openEarly(t.Context(), jsonLine(spec, false))
	if referee == nil || !referee.Input.Late() || node.Input.Late() {
		t.Fatal("the normals are not left for later")
	}
	defer referee.Close()
	if referee.text() != node.text() {
		t.Errorf("%s, want %s", referee.text(), node.text())
	}
	for k := range 3 {
		want, err := node.Draw(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		got, err := referee.Draw(t.Context(), k)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("frame %d differs: %v", k, err)
		}
	}
}
