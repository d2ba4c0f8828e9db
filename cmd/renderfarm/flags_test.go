package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// parsed parses the flags of a command as the program does.
func parsed[T any](t *testing.T, name string, args ...string) T {
	t.Helper()
	var global cli.GlobalFlags
	flags := commandLine.NewFlags(name)
	parser, err := commandLine.Parser(name, flags, &global, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commandLine.Parse(parser, flags, args); err != nil {
		t.Fatal(err)
	}
	return flags.(T)
}

// TestFlagsReachTheFilm checks that --strict and --dpi have an effect on reading and on the files.
func TestFlagsReachTheFilm(t *testing.T) {
	_, mesh := clitest.CubeFile(t)
	for _, want := range []struct {
		flags  string
		strict bool
		dpi    int
	}{{"", false, 0}, {"--strict --dpi 300", true, 300}} {
		c := parsed[*filmCommand](t, "film", append([]string{mesh, "-o", "out", "--frames", "2"}, strings.Fields(want.flags)...)...)
		f, err := c.film()
		if err != nil {
			t.Fatal(err)
		}
		account := budget.New()
		d := c.newDrawer(&app{cli.New(program, cli.Streams{})}, &account)
		if d.Read.Strict != want.strict || f.Output.DPI != want.dpi {
			t.Errorf("%q: strict %v, %d dots per inch", want.flags, d.Read.Strict, f.Output.DPI)
		}
	}
}

// TestOutputHelp checks that the help of -o lists only file formats that a film can write.
func TestOutputHelp(t *testing.T) {
	r := run(t, t.TempDir(), "", "film", "--help")
	r.Want(t, cli.Done)
	for line := range strings.Lines(r.Stdout) {
		if strings.Contains(line, "--output") && (strings.Contains(line, ".gif") || strings.Contains(line, ".mp4") || !strings.Contains(line, "####")) {
			t.Error(line)
		}
	}
	r.WantOut(t, "--output=DIR")
}

// openServer starts a server without keys, and returns its address and a connection.
func openServer(t *testing.T) (address string, conn *cluster.Cluster) {
	t.Helper()
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	address = "nats://" + s.Addr().String()
	if conn, err = cluster.Dial(t.Context(), cluster.Address{URL: address}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return address, conn
}

// TestReplicasOfOneServer checks that --replicas is refused at once if a single server cannot store copies.
func TestReplicasOfOneServer(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	film := []string{"film", mesh, "--frames", "2", "-s", "16", "--nodes", "1", "-o", "out", "--replicas", "2"}
	run(t, dir, "", film...).Want(t, cli.Usage, "--replicas 2", "copies are for --server")
	address, _ := openServer(t)
	run(t, dir, "", append(film, "--server", address)...).Want(t, cli.Usage, "--replicas 2", "it is not part of a NATS cluster")
}

// TestBlockedNode checks the exit code of a blocked node, by which its command knows not to restart it.
func TestBlockedNode(t *testing.T) {
	address, conn := openServer(t)
	if err := conn.Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	job := cluster.Job{ID: "job", Frames: 1}
	right := &cluster.Done{Hash: cluster.Hash([]byte("right"))}
	if _, err := conn.Settle(t.Context(), job, &cluster.Fault{Done: cluster.Done{Node: "faulty", Hash: cluster.Hash([]byte("wrong"))}}, right); err != nil {
		t.Fatal(err)
	}
	r := run(t, t.TempDir(), "", "node", "--join", address, "--name", "faulty")
	r.Want(t, cli.Partial, "is shut out", "frame 0 of job job")
}

// TestCacheSize checks that --cache-size limits the files that a node downloads.
func TestCacheSize(t *testing.T) {
	address, conn := openServer(t)
	if err := conn.Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	dir, mesh := clitest.CubeFile(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	film := command(t, dir, "film", mesh, "--frames", "2", "-s", "16", "--nodes", "0", "-o", "out", "--server", address)
	if err := film.Start(); err != nil {
		t.Fatal(err)
	}
	defer film.Wait()
	defer film.Process.Kill()
	for queued := false; !queued; { // waits until the film is in the queue
		jobs, err := conn.Jobs(ctx)
		queued = err == nil && len(jobs) == 1 && !jobs[0].Draft
		time.Sleep(10 * time.Millisecond)
	}
	clitest.Write(t, mesh, string(clitest.Read(t, mesh))) // the time differs, so the node needs a copy
	cache := filepath.Join(dir, "cache")
	r := run(t, dir, "", "node", "--join", address, "--cache", cache, "--cache-size", "99", "--idle", "300ms", "--name", "small")
	r.Want(t, cli.Done, "the film's files take ", "a node keeps 99")
}
