//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/link"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// refused runs a command that must end at once with exit code 3 and one line.
func refused(t *testing.T, dir, words string, args ...string) {
	t.Helper()
	r := run(t, dir, "", args...)
	r.Want(t, cli.Input, words)
	if n := strings.Count(strings.TrimSpace(r.Stderr), "\n"); n > 0 {
		t.Errorf("%s: %d lines: %s", words, n+1, r.Stderr)
	}
}

// waitForLine waits for a line in the output.
func (s *outputCollector) waitForLine(t *testing.T, words string) {
	t.Helper()
	for end := time.Now().Add(clitest.RunLimit / 2); !strings.Contains(s.String(), words); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the film does not say %q: %s", words, s)
		}
	}
}

// drawnBy draws a film to its end with one node. Its pictures must be right.
func drawnBy(t *testing.T, dir, join, key string, film interface{ Wait() error }, text *outputCollector, want string) {
	t.Helper()
	node := command(t, dir, "node", "--quiet", "--join", join, "--key", key)
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer node.Wait()
	defer node.Process.Kill()
	if err := film.Wait(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if strings.Contains(text.String(), "panic") {
		t.Error(text)
	}
	wantSameFrames(t, filepath.Join(dir, "out"), want)
}

// TestRefusedNodes checks that a refused node prints one line, and that the film reports the refusal with one line too.
func TestRefusedNodes(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "3"), t.TempDir()
	film, text, join, key := startOpenFilm(t, dir, append(filmFlags("3"), "-o", "out")...)
	address, _, _ := strings.Cut(join, "#")
	stranger := filepath.Join(dir, "stranger.key")
	seed, _, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, stranger, string(seed))
	pin := address + "#sha256:" + strings.Repeat("0", 64)
	refused(t, dir, "refused: the server's certificate is not the expected one", "node", "--join", pin, "--key", key)
	text.waitForLine(t, "refused: TLS handshake error: remote error: tls: bad certificate")
	refused(t, dir, "refused: the server does not know this key: it is the key of another server (--key FILE", "node", "--join", join, "--key", stranger)
	text.waitForLine(t, "refused: authentication error")
	refused(t, dir, "refused: the server wants a key, and none was given (--key FILE", "node", "--join", join)
	refused(t, dir, "refused: no known authority has signed the server's certificate: append its hash", "node", "--join", address, "--key", key)
	// Submitters get the same messages.
	other := append(append([]string{"film"}, filmFlags("3")...), "-o", "other", "--nodes", "0", "--server")
	refused(t, dir, "the server does not know this key", append(other, join, "--key", stranger)...)
	refused(t, dir, "not the expected one", append(other, pin, "--key", key)...)
	drawnBy(t, dir, join, key, film, text, want)
}

// TestExpiredCertificate checks that nodes and submitters refuse an expired certificate, and that the server reports
// it.
func TestExpiredCertificate(t *testing.T) {
	t.Parallel()
	expired, err := link.NewCertificate(time.Now().Add(-48*time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var lines outputCollector
	s, err := server.Start(server.Options{Dir: t.TempDir(), TLS: expired, Report: func(line string) { fmt.Fprintln(&lines, line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir, join := t.TempDir(), fmt.Sprintf("nats://%s#%s", s.Addr(), cluster.Pin(expired.Leaf))
	refused(t, dir, "refused: the server's certificate is valid from ", "node", "--join", join)
	lines.waitForLine(t, "refused: TLS handshake error: remote error: tls: bad certificate")
	refused(t, dir, "refused: the server's certificate is valid from ", append(append([]string{"film"}, filmFlags("3")...), "-o", "out", "--server", join)...)
}

// TestHostileConnections checks that other protocols and random bytes, before TLS and within it, are refused with one
// line and disturb nothing.
func TestHostileConnections(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "2"), t.TempDir()
	film, text, join, key := startOpenFilm(t, dir, append(filmFlags("2"), "-o", "out")...)
	address := strings.TrimPrefix(strings.Split(join, "#")[0], "nats://")
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("\xff", 1<<16), "PUB frames 99999999999\r\n", "CONNECT {\r\n", "\x16\x03\x01\xff\xff"}
	for range 15 {
		noise := make([]byte, r.IntN(2000))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		words = append(words, string(noise), "CONNECT "+string(noise)+"\r\n", "PUB "+string(noise)+"\r\n")
	}
	for i, w := range words {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			if _, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil { // the server sends the first message
				t.Fatal(err)
			}
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
		}
		io.WriteString(c, w)
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		io.Copy(io.Discard, c) // returns when the server closes the connection, or waits for more
		c.Close()
	}
	text.waitForLine(t, "refused: TLS handshake error: tls: first record does not look like a TLS handshake")
	text.waitForLine(t, "refused: it sends what is no message of NATS")
	text.waitForLine(t, "refused: authentication error")
	drawnBy(t, dir, join, key, film, text, want)
}

// natsAs opens a raw connection with a key to a film's server.
func natsAs(t *testing.T, join, key string) (*bufio.Reader, net.Conn) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(strings.Split(join, "#")[0], "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	line, err := bufio.NewReaderSize(c, 16).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var info struct{ Nonce string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info); err != nil {
		t.Fatal(err)
	}
	private := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	pair, public := keyPair(t, key)
	signed, err := pair.Sign([]byte(info.Nonce))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(private, "CONNECT {\"nkey\":%q,\"sig\":%q,\"verbose\":false,\"tls_required\":true}\r\nPING\r\n", public, base64.RawURLEncoding.EncodeToString(signed))
	in := bufio.NewReader(private)
	if line, err = in.ReadString('\n'); err != nil || line != "PONG\r\n" {
		t.Fatalf("the server answers %q, %v", line, err)
	}
	return in, private
}

func keyPair(t *testing.T, key string) (nkeys.KeyPair, string) {
	t.Helper()
	seed, err := readKey(pictureflags.Path(key))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return pair, public
}

// theJob waits until the film is submitted, and returns its job as a node receives it.
func theJob(t *testing.T, join, key string) (job cluster.Job) {
	t.Helper()
	address, err := cluster.ParseAddress(join)
	if err != nil {
		t.Fatal(err)
	}
	if address.Seed, err = readKey(pictureflags.Path(key)); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	waitFor(t, func() bool {
		jobs, err := c.Jobs(t.Context())
		if err != nil || len(jobs) == 0 || jobs[0].Draft || jobs[0].Cancelled {
			return false
		}
		job = jobs[0]
		return true
	})
	return job
}

// TestHostileNode connects a hostile node that has a key. The node sends messages that are too large or malformed. No
// picture may change, and both sides must report the messages.
func TestHostileNode(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "4"), t.TempDir()
	film, text, join, key := startOpenFilm(t, dir, append(filmFlags("4"), "-o", "out")...)
	job := theJob(t, join, key)
	in, out := natsAs(t, join, key)
	fmt.Fprintf(out, "PUB $KV.done.%s.0 99999999\r\n", job.ID)
	if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "-ERR 'Maximum Payload Violation'") {
		t.Errorf("a message that is too large: %q, %v", line, err)
	}
	text.waitForLine(t, "refused: maximum payload exceeded: 99999999 vs 1056768")

	pair, public := keyPair(t, key)
	c, err := nats.Connect(strings.Split(join, "#")[0], nats.Timeout(clitest.RunLimit), nats.Secure(&tls.Config{InsecureSkipVerify: true}), nats.Nkey(public, pair.Sign))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for subject, body := range map[string]string{
		"$KV.done." + job.ID + ".1":      "{]",
		"$KV.done." + job.ID + ".2":      "null",
		"$KV.done." + job.ID + ".99":     `{"hash":"00","node":"ghost"}`, // the film has only four frames
		"$KV.done." + job.ID + ".x":      `{}`,
		"$KV.failures." + job.ID + ".3":  "\xff\x00",
		"$KV.failures." + job.ID + ".44": `{"error":"none"}`,
		"$KV.faults." + job.ID + ".0.x":  "{",
		"$KV.faults." + job.ID + ".9.x":  `{"frame":9,"node":"ghost"}`,
		"$KV.nodes.ghost":                "[",
		"$KV.wanted." + job.ID:           "[",
	} {
		if err := c.Publish(subject, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	text.waitForLine(t, "frame 1: a node wrote a record that cannot be read")
	text.waitForLine(t, "frame 2: a node wrote a record that cannot be read")
	drawnBy(t, dir, join, key, film, text, want)
}

// TestHostileParts checks that a hostile node changes no picture of a film in which several nodes draw parts of each
// frame.
func TestHostileParts(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "4"), t.TempDir()
	drawing, text, join, key := startOpenFilm(t, dir, append(filmFlags("4"), "-o", "out", "--split", "always")...)
	shared := theJob(t, join, key).Shared
	connect := func(name string, secret []byte) (*link.Links, error) {
		l, err := link.Listen("127.0.0.1:0", link.Options{Name: name, Secret: secret, Limit: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l, l.Dial(t.Context(), shared.Addresses[0])
	}
	if _, err := connect("stranger", make([]byte, film.SecretBytes)); err == nil || !strings.Contains(err.Error(), "does not know the secret") {
		t.Errorf("a stranger: %v", err)
	}
	text.waitForLine(t, "refused: the other side does not know the secret")
	noise, err := net.Dial("tcp", shared.Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	defer noise.Close()
	io.WriteString(noise, strings.Repeat("GET / HTTP/1.1\r\n", 10))
	text.waitForLine(t, "refused: the other side is no node of this version")
	large := make([]byte, 32<<20) // random bytes, which cannot be compressed
	rand.NewChaCha8([32]byte{}).Read(large)
	for name, m := range map[string]link.Message{
		"large":     {Kind: 1, Body: large},
		"malformed": {Kind: 1, Body: []byte("{")},
		"different": {Kind: 1, Body: []byte(`{"shape":{"frames":4}}`)},
	} {
		l, err := connect(name, shared.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Send("root", m, nil); err != nil {
			t.Fatal(err)
		}
		words := map[string]string{"large": "malformed message: 33554432 bytes, expected at most", "malformed": "malformed message: join", "different": "it would draw something else"}[name]
		for e := range l.Events() {
			if e.Change == link.PeerDisconnected {
				if !strings.Contains(e.Err.Error(), words) {
					t.Errorf("%s: %v, want %q", name, e.Err, words)
				}
				break
			}
		}
		text.waitForLine(t, name+" ")
		text.waitForLine(t, words)
	}
	drawnBy(t, dir, join, key, drawing, text, want)
}
