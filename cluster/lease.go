package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A requester requests leases on the frames of one job. All its requests share one subscription. The NATS library's
// Fetch would subscribe for each request, which costs three more messages per frame.
type requester struct {
	*Cluster
	leaseTime    time.Duration
	subject      string // subject of the requests
	inbox        string
	answers      chan *nats.Msg
	subscription *nats.Subscription
	latest       request
}

// A request records when a frame was requested, and how many times the connection had been lost until that time. If the
// connection is lost after the request, a restarted server may give the frame to another node.
type request struct {
	sentAt time.Time
	losses int
}

// nextPrefix is the beginning of the subjects for requesting messages of a consumer.
const nextPrefix = "$JS.API.CONSUMER.MSG.NEXT."

// maxAnswers is the size of the buffer for answers. Each request has one answer, and few are late, so the buffer never
// fills.
const maxAnswers = 64

func (c *Cluster) newRequester(job *Job) (*requester, error) {
	r := &requester{Cluster: c, leaseTime: job.Lease, subject: nextPrefix + frameStream + "." + consumerName(job.ID), inbox: c.nc.NewInbox(),
		answers: make(chan *nats.Msg, maxAnswers)}
	var err error
	r.subscription, err = c.nc.ChanSubscribe(r.inbox, r.answers)
	return r, err
}

// close ends the subscription. Late answers may contain frames. These frames go back to the queue, where another node
// gets them at once.
func (r *requester) close() {
	_ = r.subscription.Unsubscribe()
	for {
		select {
		case m := <-r.answers:
			if m.Reply != "" {
				_ = r.newLease(m).Nak()
			}
		default:
			return
		}
	}
}

func (r *requester) newLease(m *nats.Msg) *lease {
	return &lease{requester: r, msg: m, request: r.latest}
}

// answerTime is how long a node waits for an answer that should come at once. The server may have ended. A request for
// a frame may take fetchWait longer.
const answerTime = time.Second

// settleTime is how long a node whose connection was restored waits before it requests frames. A restarted server would
// at first give out frames that other nodes are still drawing. Within settleTime those nodes connect again, which takes
// each of them 1 to 1.5 times reconnectWait, and record their frames. A node that starts just after the server waits
// too.
const settleTime = 2 * reconnectWait

// fetch requests a lease on the next frame. It returns nil if the queue has no frame within fetchWait, or if the server
// cannot be reached.
func (r *requester) fetch() (*lease, error) {
	if wait := settleTime - r.state.connectedFor(); wait > 0 && r.nc.IsConnected() {
		time.Sleep(wait)
	}
	if !r.nc.IsConnected() { // NATS would send the request later, without the pause of settleTime
		return nil, nil
	}
	select {
	case answer := <-r.answers: // a late answer to the previous request
		if answer.Reply != "" {
			return r.newLease(answer), nil
		}
	default:
	}
	nextLoss := r.state.nextLoss()
	r.latest = request{time.Now(), r.state.lossCount()}
	request, err := json.Marshal(map[string]int64{"batch": 1, "expires": int64(fetchWait)})
	if err != nil {
		return nil, err
	}
	if err := r.nc.PublishRequest(r.subject, r.inbox, request); err != nil {
		return nil, err
	}
	select {
	case <-time.After(fetchWait + answerTime):
		return nil, nil
	case <-nextLoss:
		return nil, nil
	case answer := <-r.answers:
		return r.parseAnswer(answer)
	}
}

// parseAnswer reads an answer of the queue. It returns nil if the queue had no frame. It also returns nil if the job or
// the server ended while the request waited in the server.
func (r *requester) parseAnswer(answer *nats.Msg) (*lease, error) {
	if answer.Reply != "" {
		return r.newLease(answer), nil
	}
	const none, expired = "404", "408"
	code, why := answer.Header.Get("Status"), answer.Header.Get("Description")
	if code == none || code == expired || slices.Contains(queueEnds, why) {
		return nil, nil
	}
	return nil, fmt.Errorf("the queue answers: %s %s", code, why)
}

// queueEnds lists the texts that a NATS server sends to waiting requests when their queue ends.
var queueEnds = []string{"Consumer Deleted", "Server Shutdown", "Leadership Change"}

// An acknowledger tells the queue what happened to a frame. It is a subset of the interface jetstream.Msg.
type acknowledger interface {
	InProgress() error
	DoubleAck(context.Context) error // waits until the server has confirmed the message
	Nak() error
	NakWithDelay(time.Duration) error
	TermWithReason(string) error
}

// A lease is a node's right to draw a frame. The queue grants it with the message msg. A lease implements acknowledger.
type lease struct {
	requester *requester
	msg       *nats.Msg
	request   request
	// renewedAt is when the server last received a renewal, in nanoseconds after request.sentAt. It is 0 before the
	// first renewal.
	renewedAt atomic.Int64
}

func (l *lease) send(text string) error { return l.requester.nc.Publish(l.msg.Reply, []byte(text)) }

// isHeld reports whether the lease is certainly valid, so that no other node can have the frame. When half of the lease
// time has passed since the latest renewal, it returns false, because messages may be delayed.
func (l *lease) isHeld() bool {
	held := time.Since(l.request.sentAt) - time.Duration(l.renewedAt.Load())
	return held < l.requester.leaseTime/2 && l.requester.state.lossCount() == l.request.losses
}

// Ack reports the frame as done, without waiting for a confirmation. If the message is lost, another node gets the
// frame and finds its record.
func (l *lease) Ack() error { return l.send("+ACK") }

// DoubleAck implements acknowledger. It gives up after answerTime and returns nil: a server that was killed may have
// forgotten the lease, and then never answers. The frame is recorded, so a node that gets the frame again finds the
// record.
func (l *lease) DoubleAck(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := l.requester.nc.RequestWithContext(wait, l.msg.Reply, []byte("+ACK"))
	if ctx.Err() == nil && wait.Err() != nil {
		return nil
	}
	return err
}

// InProgress implements acknowledger.
func (l *lease) InProgress() error {
	if l.isHeld() && l.requester.nc.IsConnected() {
		l.renewedAt.Store(int64(time.Since(l.request.sentAt)))
	}
	return l.send("+WPI")
}

// Nak implements acknowledger. It does nothing if the lease may have expired. Another node may then have the frame, and
// the queue would give it to a third one.
func (l *lease) Nak() error {
	if !l.isHeld() {
		return nil
	}
	return l.send("-NAK")
}

// NakWithDelay implements acknowledger. It does nothing if the lease may have expired, see Nak.
func (l *lease) NakWithDelay(d time.Duration) error {
	if !l.isHeld() {
		return nil
	}
	return l.send(fmt.Sprintf(`-NAK {"delay": %d}`, d.Nanoseconds()))
}

// TermWithReason implements acknowledger.
func (l *lease) TermWithReason(why string) error { return l.send("+TERM " + why) }

// fetchWait is how long the server holds a request while the queue is empty.
const fetchWait = 250 * time.Millisecond
