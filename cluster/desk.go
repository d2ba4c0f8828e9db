package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A desk is where a node asks for the frames of one job. It has one subscription for all of its
// requests: those of the library's Fetch have one each, which is three messages more a frame.
type desk struct {
	*Cluster
	lease   time.Duration
	request string // subject
	inbox   string
	answers chan *nats.Msg
	inquiry *nats.Subscription
	asked   asked // the latest request
}

// asked is when a frame was requested, and over which connection. A receipt that is sent over a later
// connection may concern a frame that a restarted server has given to another node.
type asked struct {
	at     time.Time
	losses int // of connections until then
}

// nextPrefix begins the subjects by which a queue is asked for messages.
const nextPrefix = "$JS.API.CONSUMER.MSG.NEXT."

// answersAtOnce is more than ever wait: each request has one answer, and late ones are few.
const answersAtOnce = 64

func (c *Cluster) openDesk(job *Job) (*desk, error) {
	d := &desk{Cluster: c, lease: job.Lease, request: nextPrefix + frameStream + "." + consumerName(job.ID), inbox: c.nc.NewInbox(),
		answers: make(chan *nats.Msg, answersAtOnce)}
	var err error
	d.inquiry, err = c.nc.ChanSubscribe(d.inbox, d.answers)
	return d, err
}

// close ends a desk. What comes too late goes to another node at once.
func (d *desk) close() {
	_ = d.inquiry.Unsubscribe()
	for {
		select {
		case m := <-d.answers:
			if m.Reply != "" {
				_ = d.ticket(m).Nak()
			}
		default:
			return
		}
	}
}

func (d *desk) ticket(m *nats.Msg) *ticket { return &ticket{desk: d, m: m, asked: d.asked} }

// answerTime is how long an answer is waited for, to a request for a frame after fetchWait: the server may have ended.
const answerTime = time.Second

// settleTime is how long a node that lost its connection takes no frame after it has one again, and a new node
// whose server was started again a moment ago. If the
// server was started again, it gives out frames that it does not know to be in the hands of nodes:
// all of them shall have connected, and recorded what they drew meanwhile. A node tries to connect
// after each reconnectWait, or up to half of it later.
const settleTime = 2 * reconnectWait

// fetch takes a frame from the queue, nil if there is none for fetchWait, or no server.
func (d *desk) fetch() (*ticket, error) {
	if wait := settleTime - d.losses.since(); wait > 0 && d.nc.IsConnected() {
		time.Sleep(wait)
	}
	if !d.nc.IsConnected() { // the request would be sent by the next connection, without a pause
		return nil, nil
	}
	select {
	case m := <-d.answers: // of the request before: too late for that, or sent by this connection after all
		if m.Reply != "" {
			return d.ticket(m), nil
		}
	default:
	}
	lost := d.losses.wait()
	d.asked = asked{time.Now(), d.losses.count()}
	request, err := json.Marshal(map[string]int64{"batch": 1, "expires": int64(fetchWait)})
	if err != nil {
		return nil, err
	}
	if err := d.nc.PublishRequest(d.request, d.inbox, request); err != nil {
		return nil, err
	}
	select {
	case <-time.After(fetchWait + answerTime):
		return nil, nil
	case <-lost:
		return nil, nil
	case m := <-d.answers:
		return d.read(m)
	}
}

// read reads an answer of the queue.
func (d *desk) read(m *nats.Msg) (*ticket, error) {
	if m.Reply != "" {
		return d.ticket(m), nil
	}
	const none, expired = "404", "408"
	if code := m.Header.Get("Status"); code != none && code != expired {
		return nil, fmt.Errorf("the queue answers: %s %s", code, m.Header.Get("Description"))
	}
	return nil, nil
}

// A receipt tells a queue what becomes of a frame that it gave out.
type receipt interface {
	InProgress() error
	DoubleAck(context.Context) error // waits for the queue to know
	Nak() error
	NakWithDelay(time.Duration) error
	TermWithReason(string) error
}

// A ticket is a message of the queue. It implements receipt, in the words of JetStream.
type ticket struct {
	desk    *desk
	m       *nats.Msg
	asked   asked
	renewed atomic.Int64 // nanoseconds after asked.at: the server got a renewal of the lease then; 0: none
}

func (t *ticket) tell(words string) error { return t.desk.nc.Publish(t.m.Reply, []byte(words)) }

// ours reports whether the frame is this node's for certain: no other node can have got it meanwhile.
func (t *ticket) ours() bool {
	held := time.Since(t.asked.at) - time.Duration(t.renewed.Load())
	return held < t.desk.lease/2 && t.desk.losses.count() == t.asked.losses
}

// Ack says that a frame is done, and does not wait: what gets lost is asked by the next node.
func (t *ticket) Ack() error { return t.tell("+ACK") }

// DoubleAck implements receipt. A server that was killed may have forgotten that it gave the frame out. It
// ignores the acknowledgement then, and never answers. The error is nil after answerTime: the frame is recorded,
// and the next node that gets it finds the record.
func (t *ticket) DoubleAck(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := t.desk.nc.RequestWithContext(wait, t.m.Reply, []byte("+ACK"))
	if ctx.Err() == nil && wait.Err() != nil {
		return nil
	}
	return err
}

// InProgress implements receipt.
func (t *ticket) InProgress() error {
	if t.ours() && t.desk.nc.IsConnected() {
		t.renewed.Store(int64(time.Since(t.asked.at)))
	}
	return t.tell("+WPI")
}

// Nak implements receipt. Of a frame that may be another node's by now the queue is told nothing: it
// would give it out once more, whoever draws it.
func (t *ticket) Nak() error {
	if !t.ours() {
		return nil
	}
	return t.tell("-NAK")
}

// NakWithDelay implements receipt.
func (t *ticket) NakWithDelay(d time.Duration) error {
	if !t.ours() {
		return nil
	}
	return t.tell(fmt.Sprintf(`-NAK {"delay": %d}`, d.Nanoseconds()))
}

// TermWithReason implements receipt.
func (t *ticket) TermWithReason(why string) error { return t.tell("+TERM " + why) }

// fetchWait is how long a request for a frame waits at the server.
const fetchWait = 250 * time.Millisecond
