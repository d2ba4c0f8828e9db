package cluster_test

import (
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
	"lockstep/cluster/link"
	"lockstep/cluster/server"
	"lockstep/internal/clitest"
)

var long = flag.Bool("long", false, "also run tests that take half a minute")

// startDeployed starts the three servers that docs/deploy describes, on this machine, and returns their addresses.
func startDeployed(t *testing.T, certificate, accounts string) (servers []*natsd.Server, clients []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/deploy/nats.conf")
	check(t, err)
	var routes []string
	for range 3 {
		clients, routes = append(clients, "127.0.0.1:"+clitest.FreePort(t)), append(routes, "127.0.0.1:"+clitest.FreePort(t))
	}
	for i := range 3 {
		t.Setenv("NAME", fmt.Sprint("nats", i+1))
		conf := strings.NewReplacer("port: 4222", "listen: "+clients[i], "port: 6222", "listen: "+routes[i], "store_dir: /data", "store_dir: "+t.TempDir(),
			"/farm/certificate.pem", certificate, "64GB", "1GB",
			"nats1:6222", routes[0], "nats2:6222", routes[1], "nats3:6222", routes[2]).Replace(string(text))
		dir := t.TempDir()
		name := filepath.Join(dir, "nats.conf")
		check(t, os.WriteFile(filepath.Join(dir, "accounts.conf"), []byte(accounts), 0o600))
		check(t, os.WriteFile(name, []byte(conf), 0o600))
		o, err := natsd.ProcessConfigFile(name)
		check(t, err)
		o.NoLog, o.NoSigs = true, true
		if !o.SyncAlways || o.TLSConfig == nil || len(o.Nkeys) != 2 {
			t.Fatalf("the file does not say what it should: sync %v, TLS %v, %d keys", o.SyncAlways, o.TLSConfig != nil, len(o.Nkeys))
		}
		s, err := natsd.NewServer(o)
		check(t, err)
		started := make(chan struct{})
		go func() { defer close(started); s.Start() }()
		// If a server is shut down before Start has returned, it goes on writing to its store, which then cannot be
		// removed.
		t.Cleanup(func() { <-started; s.Shutdown(); s.WaitForShutdown() })
		servers = append(servers, s)
	}
	return servers, clients
}

// TestDeployment checks that the servers of docs/deploy draw a film with nodes that have minimal permissions. The film
// must continue when one of the servers ends.
func TestDeployment(t *testing.T) {
	submit, submitPublic, err := server.NewKey()
	check(t, err)
	work, workPublic, err := server.NewKey()
	check(t, err)
	certificate, leaf := keptCertificate(t)
	servers, clients := startDeployed(t, certificate, server.Accounts(submitPublic, map[string]string{"work": workPublic}))
	for _, s := range servers {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a server takes no connections")
		}
	}
	if !*long {
		return
	}
	line := fmt.Sprintf("nats://%s#%s", strings.Join(clients, ",nats://"), cluster.Pin(leaf))
	dial := func(seed []byte) *cluster.Cluster {
		a, err := cluster.ParseAddress(line)
		check(t, err)
		a.Seed = seed
		a.Report = func(err error) {
			if strings.Contains(err.Error(), "ermissions") {
				t.Errorf("a right is missing: %v", err)
			}
		}
		c, err := cluster.Dial(t.Context(), a)
		check(t, err)
		t.Cleanup(c.Close)
		return c
	}
	admin := dial(submit)
	prepareSoon(t, servers, admin, cluster.Limits{Bytes: 256 << 20, Replicas: 3})
	wanted := newJob(40)
	wanted.Lease = 2 * time.Second // the queue then gives out the tasks of an ended server again
	job, err := admin.Submit(t.Context(), wanted)
	check(t, err)
	s := &fakeDrawer{remote: true}
	for i := range 2 {
		c := dial(work)
		ctx := t.Context()
		go c.Work(ctx, ctx, s, cluster.WorkOptions{Name: fmt.Sprint("node", i)})
	}
	l := newRecordingFollower()
	killed := false
	check(t, admin.Follow(t.Context(), job.ID, follower(func(k int, d *cluster.Done) error {
		if len(l.done) >= 5 && !killed {
			killed = true
			servers[0].Shutdown()
		}
		return l.Done(k, d)
	})))
	if len(l.done) != job.Frames || !killed {
		t.Errorf("%d of %d frames", len(l.done), job.Frames)
	}
	for k, d := range l.done {
		if d.Hash != cluster.Hash(picture(k)) || !d.Stored {
			t.Errorf("frame %d: %+v", k, d)
		}
	}
}

// A follower is a Follower that calls a function for each frame that is done. It returns an error for each frame that
// failed.
type follower func(int, *cluster.Done) error

func (f follower) Done(k int, d *cluster.Done) error { return f(k, d) }
func (f follower) Failed(k int, x *cluster.Failure) error {
	return fmt.Errorf("frame %d: %s", k, x.Error)
}
func (f follower) Fault(x *cluster.Fault) error { return fmt.Errorf("fault: %+v", x) }

// keptCertificate writes a certificate and its key into one file, in the same way as renderfarm serve does.
func keptCertificate(t *testing.T) (name string, leaf *x509.Certificate) {
	t.Helper()
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	check(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	check(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	name = filepath.Join(t.TempDir(), "certificate.pem")
	check(t, os.WriteFile(name, text, 0o600))
	return name, cert.Leaf
}
