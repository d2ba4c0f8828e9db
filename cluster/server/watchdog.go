package server

import (
	"fmt"
	"maps"
	"strings"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
)

// NATS does not limit how many messages a client sends, how often it connects, or how many bytes it requests without
// reading them. Such bytes stay in the server's memory. So one node could make the server useless for all others. A
// watchdog counts messages, connections and unread bytes by key. If the nodes of a key need more than honest nodes can
// need, the key is shut out for a while.

// Limits for the nodes of one key.
const (
	// maxConnections allows two connections for each of 500 nodes, and some old connections of nodes that were cut off.
	maxConnections = 1024
	// maxSubscriptions limits the subscriptions of one connection. A node has fewer than ten.
	maxSubscriptions = 100
	// maxPayload is the largest length of a message in bytes. The longest message is a chunk of a picture.
	maxPayload = cluster.MaxMessage + 4<<10
)

// limits are the limits that a watchdog enforces.
type limits struct {
	// messages is the largest number of messages per second that the nodes of a key may send, averaged over the time
	// burst. Honest nodes send fewer, even if many share a key. A server on two cores gives out about 3,000 frames per
	// second (docs/record/film.md), and a node sends three messages for each frame.
	messages float64
	burst    time.Duration
	// connectCost is how many messages a new connection counts as. The server spends about as much time on a connection
	// as on 150 messages. The value is lower than 150, because after a restart of the server maxConnections nodes
	// connect at once.
	connectCost float64
	// unread is the largest number of bytes that the nodes of a key may request without reading them. For example, 128
	// nodes that download a mesh have requested 8 chunks of 1 MiB each, or 1 GiB together.
	unread int64
	// checkInterval is the time between two checks of the connections. shutOutTime is how long a key stays shut out.
	checkInterval, shutOutTime time.Duration
}

var defaultLimits = limits{messages: 15_000, burst: 10 * time.Second, connectCost: 50, unread: 1 << 30, checkInterval: time.Second, shutOutTime: time.Minute}

// maxClosed is the number of closed connections that the server remembers. Connections that end between two checks must
// be counted too.
const maxClosed = 4096

// A watchdog counts what nodes do. Unless stated otherwise, the keys of its maps are names in Options.Nodes. All nodes
// with the same nkey use the same name.
type watchdog struct {
	limits
	checkedAt time.Time // time of the last check
	// seen holds the number of messages that each connection had sent at the last check, by number of the connection.
	seen map[uint64]int64
	// levels are the fill levels of leaky buckets. Each message adds 1, and limits.messages per second leak out.
	levels map[string]float64
	// shutOutUntil maps each shut-out key to the time when it may be used again.
	shutOutUntil map[string]time.Time
}

func newWatchdog(l limits, now time.Time) *watchdog {
	return &watchdog{limits: l, checkedAt: now, seen: map[uint64]int64{}, levels: map[string]float64{}, shutOutUntil: map[string]time.Time{}}
}

// examine checks all connections. It returns a message for each key that it shuts out.
func (w *watchdog) examine(all []*natsd.ConnInfo, now time.Time) (said []string) {
	seen, sent, unread := make(map[uint64]int64, len(all)), map[string]float64{}, map[string]int64{}
	for _, c := range all {
		name, isNode := strings.CutPrefix(c.Account, nodeAccount(""))
		if !isNode {
			continue
		}
		before, known := w.seen[c.Cid]
		seen[c.Cid] = c.InMsgs
		sent[name] += float64(c.InMsgs - before)
		if !known {
			sent[name] += w.connectCost
		}
		if c.Stop == nil {
			unread[name] += int64(c.Pending)
		}
	}
	passed := now.Sub(w.checkedAt).Seconds()
	w.seen, w.checkedAt = seen, now
	for name := range w.levels { // levels of keys without a connection must fall too
		sent[name] += 0
	}
	for name, n := range sent {
		level := max(0, w.levels[name]+n-w.messages*passed)
		switch {
		case level > w.messages*w.burst.Seconds():
			said = append(said, fmt.Sprintf("nodes with the key of %s send more than %.0f messages a second, and are shut out for %v", name, w.messages, w.shutOutTime))
		case unread[name] > w.unread:
			said = append(said, fmt.Sprintf("nodes with the key of %s do not read what they asked for, %d MiB, and are shut out for %v", name, unread[name]>>20, w.shutOutTime))
		default:
			w.levels[name] = level
			if level == 0 {
				delete(w.levels, name)
			}
			continue
		}
		delete(w.levels, name)
		w.shutOutUntil[name] = now.Add(w.shutOutTime)
	}
	return said
}

// admitted returns the nodes whose keys are not shut out.
func (w *watchdog) admitted(nodes map[string]string, now time.Time) map[string]string {
	all := maps.Clone(nodes)
	maps.DeleteFunc(w.shutOutUntil, func(_ string, end time.Time) bool { return !now.Before(end) })
	for name := range w.shutOutUntil {
		delete(all, name)
	}
	return all
}

// guard checks the connections regularly until the server closes.
func (s *Server) guard() {
	t := time.NewTicker(s.watchdog.checkInterval)
	defer t.Stop()
	for {
		select {
		case <-s.closed:
			return
		case now := <-t.C:
			s.guardOnce(now)
		}
	}
}

// guardOnce shuts out keys that exceed the limits. It admits a key again when its shutOutTime has passed.
func (s *Server) guardOnce(now time.Time) {
	const most = 1 << 20 // a limit of the list, larger than the number of connections that a server can have
	list, err := s.s.Connz(&natsd.ConnzOptions{Username: true, State: natsd.ConnAll, Limit: most})
	if err != nil {
		return // cannot happen, because only wrong options cause an error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.watchdog.examine(list.Conns, now)
	for _, line := range said {
		s.log.report(line)
	}
	if err := s.admit(now); err != nil {
		s.log.report(err.Error())
	}
}
