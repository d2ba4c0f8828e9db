//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// TestNodeKeys makes and removes keys of nodes while a server runs. The server must admit and disconnect the nodes
// accordingly, and the command status must list the keys.
func TestNodeKeys(t *testing.T) {
	dir := t.TempDir()
	serve := command(t, dir, "serve", "--dir", "farm")
	out := new(outputCollector)
	serve.Stdout, serve.Stderr = out, out
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { serve.Process.Kill(); serve.Wait() })
	waitFor(t, func() bool { return strings.Contains(out.String(), joinPrefix) })
	r := runHere(t, dir, "serve", "--dir", "farm", "--add-node", "alice", "--add-node", "bob")
	r.WantOut(t, filepath.Join("farm", "nodes", "alice.key"))
	runHere(t, dir, "serve", "--dir", "farm", "--add-node", "alice").Want(t, cli.Usage, "it has a key already")
	runHere(t, dir, "serve", "--dir", "farm", "--remove-node", "carol").Want(t, cli.Usage, "there is no such node")
	runHere(t, dir, "serve", "--dir", "farm", "--add-node", "../x").Want(t, cli.Usage, "expected a name")
	address, err := localServer(filepath.Join(dir, "farm"))
	if err != nil {
		t.Fatal(err)
	}
	if address.Seed, err = readKey(pictureflags.Path(filepath.Join(dir, "farm", "nodes", "alice.key"))); err != nil {
		t.Fatal(err)
	}
	connects := func() bool {
		conn, err := cluster.Dial(t.Context(), address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	waitFor(t, connects)
	runHere(t, dir, "status", "--dir", "farm").WantOut(t, "keys of nodes: work, alice, bob\n")
	runHere(t, dir, "serve", "--dir", "farm", "--remove-node", "alice", "--remove-node", "work").Want(t, cli.Done)
	waitFor(t, func() bool { return !connects() })
	runHere(t, dir, "status", "--dir", "farm").WantOut(t, "keys of nodes: bob\n")
	serve.Process.Signal(os.Interrupt)
	serve.Wait()
	c := &serveCommand{Dir: pictureflags.Path(filepath.Join(dir, "farm"))}
	o, err := c.options(&app{App: &cli.App{}}, filepath.Join(dir, "farm"))
	if err != nil || len(o.Nodes) != 1 || o.Nodes["bob"] == "" {
		t.Errorf("after a restart: nodes %v, %v", o.Nodes, err)
	}
}

// TestAccountsFile checks that --init writes a file of accounts for NATS servers, and that later commands keep the
// file up to date.
func TestAccountsFile(t *testing.T) {
	dir := t.TempDir()
	runHere(t, dir, "serve", "--dir", "farm", "--init").WantOut(t, "PIN=sha256:")
	file := filepath.Join(dir, "farm", accountsFile)
	nodes := func() int {
		o := new(natsd.Options)
		if err := o.ProcessConfigString(string(clitest.Read(t, file))); err != nil {
			t.Fatal(err)
		}
		return len(o.Accounts) - 1
	}
	if n := nodes(); n != 1 {
		t.Errorf("%d nodes, want the shared one", n)
	}
	runHere(t, dir, "serve", "--dir", "farm", "--add-node", "alice").Want(t, cli.Done)
	if n := nodes(); n != 2 {
		t.Errorf("%d nodes, want 2", n)
	}
	runHere(t, dir, "serve", "--dir", "farm", "--remove-node", "work").Want(t, cli.Done)
	runHere(t, dir, "serve", "--dir", "farm", "--init").Want(t, cli.Done)
	if n := nodes(); n != 1 {
		t.Errorf("%d nodes, want alice", n)
	}
}

// openFarm starts a server with a key and a limit for its stores. It returns the flags for using this server.
func openFarm(t *testing.T, dir string, limit int64) (flags []string) {
	t.Helper()
	seed, public, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true, SubmitKey: public, Bytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	key := filepath.Join(dir, "submit.key")
	clitest.Write(t, key, string(seed))
	return []string{"--server", "nats://" + s.Addr().String(), "--key", key}
}

// TestStoreAboveTheServers checks that a film without --store uses the small limit of its server, and that a larger
// --store is refused at once with a message that states the limit.
func TestStoreAboveTheServers(t *testing.T) {
	t.Parallel()
	dir, mesh := clitest.CubeFile(t)
	flags := append(openFarm(t, dir, 64<<20), "--frames", "2", "-s", "16", "--nodes", "1", "-o", "out")
	run(t, dir, "", append([]string{"film", mesh, "--store", "1G"}, flags...)...).Want(t, cli.Usage, "expected at most --store 56M")
	run(t, dir, "", append([]string{"film", mesh}, flags...)...).Want(t, cli.Done)
	if left := clitest.Files(t, filepath.Join(dir, "out")); len(left) != 2 {
		t.Errorf("the folder has %v", left)
	}
}

// TestTwoFilmsInOneFolder checks that a second film in a folder is refused by any server.
func TestTwoFilmsInOneFolder(t *testing.T) {
	t.Parallel()
	dir, mesh := clitest.CubeFile(t)
	flags := append(openFarm(t, dir, 0), "--frames", "2", "-s", "16", "-o", "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := &coordinator{folder: filepath.Join(dir, "out"), ctx: ctx, cancel: cancel}
	if err := o.lockPictures(); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", append([]string{"film", mesh, "--nodes", "1"}, flags...)...).Want(t, cli.Output, "another command draws a film here")
	o.close()
	run(t, dir, "", append([]string{"film", mesh, "--nodes", "1"}, flags...)...).Want(t, cli.Done)
}
