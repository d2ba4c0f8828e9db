package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// A desk is where a node asks for the frames of one job. It has one subscription for all of its
// requests: those of the library's Fetch have one each, which is three messages more a frame.
type desk struct {
	nc      *nats.Conn
	request string // subject
	inbox   string
	answers *nats.Subscription
}

// nextPrefix begins the subjects by which a queue is asked for messages.
const nextPrefix = "$JS.API.CONSUMER.MSG.NEXT."

func (c *Cluster) openDesk(job string) (*desk, error) {
	d := &desk{nc: c.nc, request: nextPrefix + frameStream + "." + consumerName(job), inbox: c.nc.NewInbox()}
	var err error
	d.answers, err = c.nc.SubscribeSync(d.inbox)
	return d, err
}

// close ends a desk. What comes too late goes to another node at once.
func (d *desk) close() {
	for {
		m, err := d.answers.NextMsg(time.Nanosecond)
		if err != nil {
			break
		}
		if m.Reply != "" {
			_ = (&ticket{d.nc, m}).Nak()
		}
	}
	_ = d.answers.Unsubscribe()
}

// answerTime is how much longer than fetchWait an answer is waited for: the server may have ended.
const answerTime = time.Second

// fetch takes a frame from the queue, nil if there is none for fetchWait.
func (d *desk) fetch() (*ticket, error) {
	request, err := json.Marshal(map[string]int64{"batch": 1, "expires": int64(fetchWait)})
	if err != nil {
		return nil, err
	}
	if err := d.nc.PublishRequest(d.request, d.inbox, request); err != nil {
		return nil, err
	}
	m, err := d.answers.NextMsg(fetchWait + answerTime)
	switch {
	case errors.Is(err, nats.ErrTimeout):
		return nil, nil
	case err != nil:
		return nil, err
	case m.Reply != "":
		return &ticket{d.nc, m}, nil
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
	nc *nats.Conn
	m  *nats.Msg
}

func (t *ticket) tell(words string) error { return t.nc.Publish(t.m.Reply, []byte(words)) }

// Ack says that a frame is done, and does not wait: what gets lost is asked by the next node.
func (t *ticket) Ack() error { return t.tell("+ACK") }

// DoubleAck implements receipt.
func (t *ticket) DoubleAck(ctx context.Context) error {
	_, err := t.nc.RequestWithContext(ctx, t.m.Reply, []byte("+ACK"))
	return err
}

// InProgress implements receipt.
func (t *ticket) InProgress() error { return t.tell("+WPI") }

// Nak implements receipt.
func (t *ticket) Nak() error { return t.tell("-NAK") }

// NakWithDelay implements receipt.
func (t *ticket) NakWithDelay(d time.Duration) error {
	return t.tell(fmt.Sprintf(`-NAK {"delay": %d}`, d.Nanoseconds()))
}

// TermWithReason implements receipt.
func (t *ticket) TermWithReason(why string) error { return t.tell("+TERM " + why) }
