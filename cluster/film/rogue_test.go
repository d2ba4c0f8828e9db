package film

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// A rogue holds a valid key of a node, and tries everything that could harm one film.
type rogue struct {
	*nats.Conn
	seed   []byte
	id     string
	frames int
	rng    *rand.Rand
	held   []string // subjects at which leases are renewed
	line   string   // inbox for requested tasks; the rogue does not read it
}

// inbox returns an inbox for tasks.
func (r *rogue) inbox() string {
	if r.line == "" {
		r.line = r.NewInbox()
		_, _ = r.Subscribe(r.line, func(*nats.Msg) {})
	}
	return r.line
}

// A keyedServer is a server with keys of a submitter and of two nodes.
type keyedServer struct {
	url                 string
	submit, honest, bad []byte // seeds
	dial                func(seed []byte) *cluster.Cluster
}

// startKeyedServer starts a server in this process.
func startKeyedServer(t *testing.T) *keyedServer {
	t.Helper()
	submit, submitKey := newKey(t)
	honest, honestKey := newKey(t)
	bad, badKey := newKey(t)
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true, SubmitKey: submitKey, Nodes: map[string]string{"honest": honestKey, "rogue": badKey}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	k := &keyedServer{url: "nats://" + s.Addr().String(), submit: submit, honest: honest, bad: bad}
	k.dial = func(seed []byte) *cluster.Cluster {
		conn, err := cluster.Dial(t.Context(), cluster.Address{URL: k.url, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	if err := k.dial(submit).Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	return k
}

// newRogue connects a rogue to a server.
func newRogue(t *testing.T, url string, seed []byte, s *Submission, rng *rand.Rand) *rogue {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(url, nats.Timeout(patience), nats.Nkey(public, pair.Sign), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return &rogue{Conn: nc, seed: seed, id: s.Job().ID, frames: s.Job().Frames, rng: rng}
}

// The method send publishes a value with headers. It does not wait for the answer.
func (r *rogue) send(subject string, value any, header ...string) {
	m := message(subject, value, header...)
	m.Reply = r.NewInbox()
	_ = r.PublishMsg(m)
}

// request publishes a value and waits for the answer. If the answer has no error, a stream has stored the value.
func (r *rogue) request(subject string, value any, header ...string) error {
	answer, err := r.RequestMsg(message(subject, value, header...), patience)
	if err == nil && bytes.Contains(answer.Data, []byte(`"error"`)) {
		err = errors.New(string(answer.Data))
	}
	return err
}

func message(subject string, value any, header ...string) *nats.Msg {
	m := nats.NewMsg(subject)
	for i := 0; i < len(header); i += 2 {
		m.Header.Set(header[i], header[i+1])
	}
	switch v := value.(type) {
	case string:
		m.Data = []byte(v)
	default:
		m.Data, _ = json.Marshal(v)
	}
	return m
}

// rogueNames are the node names that a rogue uses.
var rogueNames = []string{"rogue", "honest", "local-0", SubmitterName, "", "../x"}

// forged returns a record of a picture that does not exist or is wrong.
func (r *rogue) forged(k int) *cluster.Done {
	picture := []byte("this is no picture")
	d := &cluster.Done{Hash: cluster.Hash(picture), Node: rogueNames[r.rng.IntN(len(rogueNames))], Seconds: -1, Bytes: len(picture), Stored: r.rng.IntN(2) == 0, FileState: "x"}
	if r.rng.IntN(2) == 0 {
		_ = d.Sign(r.seed, r.id, k)
	}
	return d
}

// attack carries out a random attack.
func (r *rogue) attack() {
	k := r.rng.IntN(r.frames)
	at := fmt.Sprintf("%s.%d", r.id, k)
	switch r.rng.IntN(14) {
	case 0:
		r.send("$KV.pictures."+at+".0", "this is no picture")
		r.send("$KV.done."+at, r.forged(k))
	case 1:
		r.send("$KV.done."+at, []string{"null", "{", "{}", `{"bytes":1e9,"stored":true}`, strings.Repeat("x", 4000)}[r.rng.IntN(5)])
	case 2:
		r.send("$KV.done."+at, "", "KV-Operation", []string{"DEL", "PURGE"}[r.rng.IntN(2)])
	case 3:
		r.send("$KV.pictures."+at+".0", "", "KV-Operation", "DEL")
	case 4:
		x := &cluster.Failure{Node: rogueNames[r.rng.IntN(len(rogueNames))], Error: "every node that drew it ended or hung", Tries: 99, Recurs: r.rng.IntN(2) == 0}
		if r.rng.IntN(2) == 0 {
			_ = x.Sign(r.seed, r.id, k)
		}
		r.send("$KV.failures."+at, x)
	case 5:
		r.send("$KV.failures."+at+".try", map[string]any{"key": "", "count": 1 << 30})
	case 6:
		x := cluster.Fault{Frame: k, Done: *r.forged(k)}
		x.Node = "honest"
		r.send("$KV.faults."+at+".honest", x)
	case 7: // acknowledges all tasks as done
		for n := range 2 * r.frames {
			r.send(fmt.Sprintf("$JS.ACK.frames.job-%s.1.%d.%d.1.0", r.id, 1+n, 1+r.rng.IntN(2*r.frames)), "+ACK")
		}
	case 8: // takes tasks
		r.send("$JS.API.CONSUMER.MSG.NEXT.frames.job-"+r.id, fmt.Sprintf(`{"batch":%d,"expires":1000000}`, 1+r.rng.IntN(5)))
	case 9:
		m, err := r.Request("$JS.API.CONSUMER.MSG.NEXT.frames.job-"+r.id, []byte(`{"batch":1,"no_wait":true}`), 100*time.Millisecond)
		if err == nil && m.Reply != "" {
			r.send(m.Reply, []string{"+ACK", "+TERM", "-NAK", "+WPI", `-NAK {"delay": 100000000000}`}[r.rng.IntN(5)])
		}
	case 10:
		r.send("$KV.wanted."+r.id, "x")
	case 11:
		r.send("$KV.nodes."+rogueNames[r.rng.IntN(4)], cluster.Node{Name: "honest", Cores: -1})
	case 12:
		r.send("$KV.done."+at, r.forged(k), "Nats-Rollup", "all")
	case 13:
		r.send("$KV.done."+at, r.forged(k), "Nats-Expected-Last-Subject-Sequence", "0")
	}
}

// TestRogueNode checks films that a node with a valid key attacks. The film must end by itself with all pictures right,
// and an honest node must not be blocked. The test draws one film, or twenty films with -long.
func TestRogueNode(t *testing.T) {
	t.Parallel()
	storms := 1
	if *long {
		storms = 20
	}
	for range storms {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rogueStorm(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

// TestFloods checks that a film ends while a node repeats one attack: it removes a record, writes a record that
// cannot be decoded, accuses other nodes, holds all tasks, or requests all tasks for an hour.
func TestFloods(t *testing.T) {
	t.Parallel()
	for what, attack := range map[string]func(r *rogue, n int){
		"removals": func(r *rogue, n int) { r.send("$KV.done."+r.id+".0", "", "KV-Operation", "DEL") },
		"nonsense": func(r *rogue, n int) { r.send("$KV.done."+r.id+".0", "{") },
		"accusations": func(r *rogue, n int) {
			k := n % r.frames
			r.send(fmt.Sprintf("$KV.faults.%s.%d.n%d", r.id, k, n), cluster.Fault{Frame: k, Done: *r.forged(k)})
		},
		"renewals": func(r *rogue, n int) { // takes all tasks and never draws them
			m, err := r.Request("$JS.API.CONSUMER.MSG.NEXT.frames.job-"+r.id, []byte(`{"batch":1,"no_wait":true}`), 100*time.Millisecond)
			if err == nil && m.Reply != "" {
				r.held = append(r.held, m.Reply)
			}
			for _, reply := range r.held {
				r.send(reply, "+WPI")
			}
		},
		"line": func(r *rogue, n int) { // occupies all places in the queue's list of requests
			m := nats.NewMsg("$JS.API.CONSUMER.MSG.NEXT.frames.job-" + r.id)
			m.Reply, m.Data = r.inbox(), []byte(`{"batch":1,"expires":1000000000}`)
			for range 20 {
				_ = r.PublishMsg(m)
			}
		},
		"requests": func(r *rogue, n int) {
			r.send("$JS.API.CONSUMER.MSG.NEXT.frames.job-"+r.id, `{"batch":1000000,"expires":360000000000000}`)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			n, frames, pause := 0, 20, 2*time.Millisecond
			if what == "renewals" || what == "line" { // these attacks delay a film by seconds
				pause = 8 * time.Millisecond
			}
			if *long {
				frames, pause = 60, time.Millisecond
			}
			rogueFilm(t, rand.New(rand.NewPCG(1, 1)), frames, func(r *rogue) {
				attack(r, n)
				n++
				_ = r.Flush()
				time.Sleep(pause)
			})
		})
	}
}

func rogueStorm(t *testing.T, rng *rand.Rand) {
	n, frames := 0, 20
	if *long {
		frames = 40
	}
	rogueFilm(t, rng, frames, func(r *rogue) {
		r.attack()
		if n++; n%3 == 0 {
			_ = r.Flush()
			time.Sleep(time.Millisecond)
		}
	})
}

// rogueFilm draws a film with an honest node while attack is called over and over, and checks its pictures.
func rogueFilm(t *testing.T, rng *rand.Rand, frames int, attack func(r *rogue)) {
	farm := startKeyedServer(t)
	conn := farm.dial(farm.submit)
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir+"/out")
	f.Animation.Frames, f.Open, f.Tries, f.Lease = frames, true, 2, 500*time.Millisecond
	submission, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer submission.Close()
	startNode(t, &Node{Cluster: farm.dial(farm.honest), Name: "honest", Workers: 1}) // fails if the node is blocked
	r := newRogue(t, farm.url, farm.bad, submission, rng)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- submission.Draw(ctx, conn) }()
	attacks := 0
	for began := time.Now(); ; attacks++ {
		select {
		case err = <-ended:
		default:
			attack(r)
			continue
		}
		t.Logf("%d attacks in %v", attacks, time.Since(began).Round(time.Millisecond))
		break
	}
	if err != nil {
		var lacks *Incomplete
		if errors.As(err, &lacks) {
			t.Fatalf("%v: %+v", err, lacks.Failed)
		}
		t.Fatal(err)
	}
	k := 0
	if err := new(recipe.Drawer).Frames(t.Context(), f.Animation, recipe.Output{}, func(_ int, file []byte) error {
		if got := clitest.Read(t, submission.names.Name(k)); !bytes.Equal(got, file) {
			t.Errorf("frame %d differs", k)
		}
		k++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
