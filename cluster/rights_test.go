package cluster_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// rawConn connects to a server with a key, like a program that ignores the rules of this package.
func rawConn(t *testing.T, a cluster.Address) *nats.Conn {
	t.Helper()
	pair, err := nkeys.FromSeed(a.Seed)
	check(t, err)
	public, err := pair.PublicKey()
	check(t, err)
	nc, err := nats.Connect(a.URL, nats.Timeout(patience), nats.Nkey(public, pair.Sign), nats.Secure(&tls.Config{InsecureSkipVerify: true}),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	check(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// A streamPicture holds the configuration, last sequence number, subjects and consumers of a stream at one moment.
type streamPicture struct {
	config    string
	last      uint64
	subjects  map[string]uint64
	consumers []string
}

// streamPictures returns the state of every stream.
func streamPictures(t *testing.T, js jetstream.JetStream) map[string]streamPicture {
	t.Helper()
	all := map[string]streamPicture{}
	names := js.StreamNames(t.Context())
	for name := range names.Name() {
		s, err := js.Stream(t.Context(), name)
		check(t, err)
		info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		check(t, err)
		config, err := json.Marshal(info.Config)
		check(t, err)
		p := streamPicture{config: string(config), last: info.State.LastSeq, subjects: info.State.Subjects}
		consumers := s.ConsumerNames(t.Context())
		for c := range consumers.Name() {
			p.consumers = append(p.consumers, c)
		}
		check(t, consumers.Err())
		slices.Sort(p.consumers)
		all[name] = p
	}
	check(t, names.Err())
	return all
}

// A rightsTest holds a server with a film in progress, and a node that tries forbidden requests.
type rightsTest struct {
	*testing.T
	admin jetstream.JetStream
	rogue *nats.Conn
	job   cluster.Job
	// written are the records that the node may write and has written.
	written map[string]bool
}

// The method named returns the subjects to which a node may publish, with all names filled in. A value is true if the
// subject belongs to a record that the node writes.
func (r *rightsTest) named() map[string]bool {
	id := r.job.ID
	all := map[string]bool{
		"$JS.API.INFO": false, "$JS.API.CONSUMER.INFO.frames.job-" + id: false, "$JS.API.CONSUMER.MSG.NEXT.frames.job-" + id: false,
		"$JS.ACK.frames.job-" + id + ".1.1.1.1.1": false, "$JS.ACK.frames.x.y": false,
		"$KV.done." + id + ".5": true, "$KV.failures." + id + ".5": true, "$KV.failures." + id + ".5.try": true,
		"$KV.faults." + id + ".5.rogue": true, "$KV.nodes.rogue": true, "$KV.pictures." + id + ".5.0": true, "$KV.wanted." + id: true,
	}
	for _, store := range []string{"jobs", "done", "failures", "blocked", "blobs"} {
		all["$JS.API.DIRECT.GET.KV_"+store+".$KV."+store+"."+id] = false
		all["$JS.API.DIRECT.GET.KV_"+store+".$KV."+store+"."+id+".1"] = false
	}
	for _, store := range []string{"jobs", "done", "failures", "blocked", "blobs", "faults", "nodes", "pictures", "wanted"} {
		all["$JS.API.STREAM.INFO.KV_"+store] = false
	}
	return all
}

// forbidden returns the subjects to which no node may publish, and to which the server may send no answer to a node.
func (r *rightsTest) forbidden() []string {
	id := r.job.ID
	all := []string{
		"$KV.jobs.planted", "$KV.jobs." + id, "$KV.blocked.honest", "$KV.blobs.x.0", "frames." + id + ".99", "frames.planted.0",
		"$KV.done." + id + ".7", "$KV.failures." + id + ".7", "$KV.failures." + id + ".7.try.honest", "$KV.nodes.honest",
		"$KV.pictures." + id + ".7.0", "$KV.faults." + id + ".7.honest", "$KV.wanted.other",
		"$JS.API.ACCOUNT.PURGE.FARM", "$JS.API.SERVER.REMOVE", "$JS.API.META.LEADER.STEPDOWN", "$JS.FC.x",
		"$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.FARM.CONNZ", "$JS.ACK.frames.job-" + id + ".1.2.2.1.1",
		"$JS.API.CONSUMER.CREATE.KV_jobs", "$JS.API.CONSUMER.CREATE.KV_jobs.x.$KV.jobs.>", "$JS.API.CONSUMER.DURABLE.CREATE.frames.x",
		"$JS.API.CONSUMER.DELETE.frames.job-" + id, "$JS.API.CONSUMER.PAUSE.frames.job-" + id, "$JS.API.CONSUMER.UNPIN.frames.job-" + id,
	}
	for _, stream := range []string{"frames", "KV_jobs", "KV_done", "KV_blobs", "KV_blocked", "x"} {
		for _, verb := range []string{"PURGE", "DELETE", "CREATE", "UPDATE", "MSG.DELETE", "MSG.GET", "SNAPSHOT", "RESTORE", "LEADER.STEPDOWN", "PEER.REMOVE"} {
			all = append(all, "$JS.API.STREAM."+verb+"."+stream)
		}
	}
	return all
}

// headers returns the headers that change how NATS handles a message.
func (r *rightsTest) headers() []nats.Header {
	id := r.job.ID
	all := []nats.Header{nil}
	for _, h := range [][2]string{
		{"Nats-Rollup", "all"}, {"Nats-Rollup", "sub"}, {"KV-Operation", "DEL"}, {"KV-Operation", "PURGE"}, {"Nats-TTL", "1s"}, {"Nats-TTL", "never"},
		{"Nats-Msg-Id", "x"}, {"Nats-Expected-Stream", "frames"}, {"Nats-Expected-Last-Sequence", "0"}, {"Nats-Expected-Last-Msg-Id", "x"},
		{"Nats-Expected-Last-Subject-Sequence", "0"}, {"Nats-Expected-Last-Subject-Sequence-Subject", "$KV.jobs." + id},
		{"Nats-Trace-Dest", "frames." + id + ".98"}, {"Nats-Trace-Dest", "$KV.jobs.traced"}, {"Nats-Trace-Only", "true"}, {"traceparent", "00-x-y-01"},
		{"Nats-Schedule", "@at 2020-01-01T00:00:00Z"}, {"Nats-Schedule-Target", "$KV.jobs.scheduled"}, {"Nats-Schedule-TTL", "1s"}, {"Nats-Incr", "5"},
		{"Nats-Batch-Id", "b"}, {"Nats-Batch-Sequence", "1"}, {"Nats-Batch-Commit", "1"}, {"Nats-Required-Api-Level", "0"}, {"Nats-Marker-Reason", "Remove"},
		{"Nats-Request-Info", `{"acc":"FARM","user":"x"}`}, {"Nats-Stream-Source", "frames 1 > >"}, {"Nats-Subject", "$KV.jobs.x"}, {"Nats-Sequence", "1"},
		{"Status", "100"}, {"Nats-Response-Type", "x"}, {"Nats-Service-Error", "x"}, {"Nats-Pin-Id", "x"},
	} {
		all = append(all, nats.Header{h[0]: {h[1]}})
	}
	return append(all, nats.Header{"Nats-Schedule": {"@at 2020-01-01T00:00:00Z"}, "Nats-Schedule-Target": {"$KV.jobs.x"}},
		nats.Header{"Nats-Trace-Dest": {"$KV.jobs.traced"}, "Nats-Trace-Only": {"true"}},
		nats.Header{"Nats-Batch-Id": {"b"}, "Nats-Batch-Sequence": {"1"}, "Nats-Batch-Commit": {"1"}})
}

// bodies returns bodies that the server's interface accepts as requests, and bodies that would be useful to an
// attacker.
func (r *rightsTest) bodies() []string {
	return []string{"", "{}", `{"batch":2,"no_wait":true}`, `{"id":"planted","frames":9,"spec":{}}`,
		`{"stream_name":"KV_jobs","config":{"deliver_subject":"frames.planted.1","filter_subject":"$KV.jobs.>","ack_policy":"none","deliver_policy":"all"}}`}
}

// publish publishes a message. It does not wait for an answer.
func (r *rightsTest) publish(subject, reply string, header nats.Header, body string) {
	m := &nats.Msg{Subject: subject, Reply: reply, Header: header, Data: []byte(body)}
	check(r.T, r.rogue.PublishMsg(m))
}

// wantOnlyNamed checks that the streams have not changed since before, except for records that the node may write.
func (r *rightsTest) wantOnlyNamed(what string, before map[string]streamPicture) {
	r.Helper()
	check(r.T, r.rogue.FlushTimeout(patience))
	time.Sleep(20 * time.Millisecond) // the server handles some requests in other goroutines
	after := streamPictures(r.T, r.admin)
	if !slices.Equal(slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before))) {
		r.Fatalf("%s: the streams are %v", what, slices.Sorted(maps.Keys(after)))
	}
	for name, was := range before {
		is := after[name]
		if is.config != was.config || !slices.Equal(is.consumers, was.consumers) {
			r.Fatalf("%s: stream %s, consumers %q, has changed: %s", what, name, is.consumers, is.config)
		}
		writable := false
		for s := range r.written {
			writable = writable || strings.HasPrefix(s, "$KV."+strings.TrimPrefix(name, "KV_")+".")
		}
		if !writable && is.last != was.last {
			r.Fatalf("%s: stream %s has %d messages that nobody may write", what, name, is.last-was.last)
		}
		for s := range is.subjects {
			// The server may send an answer to the subject of a heartbeat. The answer then counts as a heartbeat of
			// this key, under a name that the server makes up.
			heartbeat := name == "KV_nodes" && !strings.Contains(s, "honest")
			if was.subjects[s] == 0 && !r.written[s] && !heartbeat {
				r.Fatalf("%s: %s has appeared", what, s)
			}
		}
		for s := range was.subjects {
			if is.subjects[s] == 0 && s != "frames."+r.job.ID+".0" { // the node may acknowledge a task that it was given
				r.Fatalf("%s: %s has gone", what, s)
			}
		}
	}
}

// TestNodesCanDoNothingElse publishes to every subject to which a node may publish. The reply subject is each forbidden
// subject, with every header of NATS and several bodies. Only the named record may change. Then the test publishes to
// all forbidden subjects directly. Without -long, a header is tried with one body and a fourth of the reply subjects.
func TestNodesCanDoNothingElse(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	honest, honestPublic, err := server.NewKey()
	check(t, err)
	h.o.Nodes["honest"] = honestPublic
	check(t, h.s.SetNodes(h.o.Nodes))
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(9))
	check(t, err)
	check(t, c.Record(t.Context(), job, 7, &cluster.Done{Hash: "00", Node: "honest"}))
	check(t, c.Record(t.Context(), job, 5, &cluster.Done{Hash: "00", Node: "rogue"}))
	check(t, c.Put(t.Context(), "blobs", "x.0", "a file"))
	admin, err := jetstream.New(rawConn(t, h.admin), jetstream.WithDefaultTimeout(patience))
	check(t, err)
	r := &rightsTest{T: t, admin: admin, rogue: rawConn(t, h.worker), job: job, written: map[string]bool{}}
	for s, writes := range r.named() {
		if writes {
			r.written[s] = true
		}
	}
	r.written["$KV.failures."+job.ID+".5.try.work"] = true
	delete(r.written, "$KV.nodes.rogue")
	r.written["$KV.nodes.rogue.work"], r.written["$KV.nodes.honest.work"] = true, true // the key decides the last part
	overheard := make(chan *nats.Msg, 100)
	other := h.worker
	other.Seed = honest
	_, err = rawConn(t, other).ChanSubscribe("_INBOX.>", overheard)
	check(t, err)

	before := streamPictures(t, admin)
	for i, header := range r.headers() {
		for k, body := range r.bodies() {
			if k != i%len(r.bodies()) && !*long {
				continue
			}
			for subject := range r.named() {
				for j, reply := range r.forbidden() {
					if i > 0 && (i+j)%4 != 0 && !*long {
						continue
					}
					r.publish(subject, reply, header, body)
				}
			}
		}
		r.wantOnlyNamed(fmt.Sprintf("header %d, %v", i, header), before)
	}
	for _, header := range r.headers() {
		for _, subject := range append(r.forbidden(), "$KV.failures."+job.ID+".5.try.honest", "$KV.failures."+job.ID+".5.try.work", "_INBOX.x") {
			r.publish(subject, r.rogue.NewInbox(), header, "{}")
		}
	}
	r.wantOnlyNamedBut("forbidden subjects", before, job.ID)
	if len(overheard) > 0 {
		t.Errorf("another node hears %q", (<-overheard).Subject)
	}
}

// wantOnlyNamedBut is like wantOnlyNamed, but also allows records of other frames that the node wrote directly.
func (r *rightsTest) wantOnlyNamedBut(what string, before map[string]streamPicture, id string) {
	r.Helper()
	for _, s := range []string{"$KV.done." + id + ".7", "$KV.failures." + id + ".7", "$KV.pictures." + id + ".7.0", "$KV.faults." + id + ".7.honest", "$KV.wanted.other"} {
		r.written[s] = true
	}
	r.wantOnlyNamed(what, before)
}

// TestKeyIsTriedAgain checks that a key that the server does not know yet is tried exactly once more.
func TestKeyIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	seed, public, err := server.NewKey()
	check(t, err)
	for _, added := range []bool{false, true} {
		attempts := 0
		a := h.worker
		a.Seed = seed
		a.Resolve = func() string { // called before each attempt
			if attempts++; added && attempts == 2 {
				check(t, h.s.SetNodes(map[string]string{"late": public}))
			}
			return ""
		}
		c, err := cluster.Dial(t.Context(), a)
		if err == nil {
			c.Close()
		}
		if added != (err == nil) || !added && !errors.Is(err, cluster.ErrKey) || attempts != 2 {
			t.Errorf("a key that is added: %v: %v after %d attempts", added, err, attempts)
		}
	}
}

// TestRemovedNode checks changes of the keys of a running server. A node is disconnected when its key is removed. A
// node may connect when its key is added. Other nodes stay connected.
func TestRemovedNode(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	seed, public, err := server.NewKey()
	check(t, err)
	late := h.worker
	late.Seed = seed
	if _, err := cluster.Dial(t.Context(), late); err == nil {
		t.Fatal("an unknown node may connect")
	}
	admin, worker := rawConn(t, h.admin), rawConn(t, h.worker)
	h.prepare(h.dial(h.admin))
	check(t, h.s.SetNodes(map[string]string{"late": public}))
	if err := h.dial(late).Put(t.Context(), "nodes", "late", cluster.Node{Name: "late"}); err != nil {
		t.Errorf("the node that was added can do nothing: %v", err)
	}
	for end := time.Now().Add(patience); worker.IsConnected() && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if worker.IsConnected() || !admin.IsConnected() {
		t.Errorf("the removed node is connected: %v, the submitter: %v", worker.IsConnected(), admin.IsConnected())
	}
	if _, err := cluster.Dial(t.Context(), h.worker); err == nil {
		t.Error("a removed node may connect")
	}
}
