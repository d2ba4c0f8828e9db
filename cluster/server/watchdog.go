package server

import (
	"fmt"
	"maps"
	"strings"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
)

// NATS does not limit how many messages a client may send, how often it may connect, or how much of what it asked for it
// may leave unread in the server's memory. Any node could so keep the server from the others. A watchdog counts all of
// it by key, and shuts a key out for a while whose nodes exceed what honest ones can need.

// Limits of what the nodes of one key may do.
const (
	// maxConnections of one key: two of each node, and some that are left of nodes that were cut off.
	maxConnections = 1024
	// maxSubscriptions of a connection. A node has less than ten.
	maxSubscriptions = 100
	// maxPayload is the length of a message: a chunk of a picture.
	maxPayload = cluster.MaxMessage + 4<<10
)

// limits are the limits that a watchdog enforces.
type limits struct {
	// messages is how many messages a second there may be on average over burst. A server on two cores hands out some
	// 3,000 frames a second (docs/record/film.md), and a node sends three messages for each: honest nodes send less,
	// however many share a key.
	messages float64
	burst    time.Duration
	// connect is how many messages a new connection counts as. It takes the server as long as some 150, but maxConnections
	// may be made at once, as after a restart of the server.
	connect float64
	// unread is how many bytes may wait to be read: 128 nodes have that much on their way when they load a mesh at once,
	// eight chunks each.
	unread int64
	// look is the time between two looks at the connections, and shut is how long a key is shut out.
	look, shut time.Duration
}

var defaultLimits = limits{messages: 15_000, burst: 10 * time.Second, connect: 50, unread: 1 << 30, look: time.Second, shut: time.Minute}

// maxClosed is how many closed connections the server remembers, so that those are counted that end between two looks.
const maxClosed = 4096

// A watchdog sums up what nodes do, by the names of their keys.
type watchdog struct {
	limits
	at time.Time // of the last look
	// seen is how many messages a connection had sent at the last look, by its number.
	seen map[uint64]int64
	// levels are the messages beyond what limits.messages allows.
	levels map[string]float64
	// until is when those that are shut out may connect again.
	until map[string]time.Time
}

func newWatchdog(l limits, now time.Time) *watchdog {
	return &watchdog{limits: l, at: now, seen: map[uint64]int64{}, levels: map[string]float64{}, until: map[string]time.Time{}}
}

// examine takes the state of all connections, and returns what is to be said about keys that are shut out because of it.
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
			sent[name] += w.connect
		}
		if c.Stop == nil {
			unread[name] += int64(c.Pending)
		}
	}
	passed := now.Sub(w.at).Seconds()
	w.seen, w.at = seen, now
	for name := range w.levels { // those without a connection, too
		sent[name] += 0
	}
	for name, n := range sent {
		level := max(0, w.levels[name]+n-w.messages*passed)
		switch {
		case level > w.messages*w.burst.Seconds():
			said = append(said, fmt.Sprintf("nodes with the key of %s send more than %.0f messages a second, and are shut out for %v", name, w.messages, w.shut))
		case unread[name] > w.unread:
			said = append(said, fmt.Sprintf("nodes with the key of %s do not read what they asked for, %d MiB, and are shut out for %v", name, unread[name]>>20, w.shut))
		default:
			w.levels[name] = level
			if level == 0 {
				delete(w.levels, name)
			}
			continue
		}
		delete(w.levels, name)
		w.until[name] = now.Add(w.shut)
	}
	return said
}

// admitted returns those of the nodes that are not shut out.
func (w *watchdog) admitted(nodes map[string]string, now time.Time) map[string]string {
	all := maps.Clone(nodes)
	maps.DeleteFunc(w.until, func(_ string, end time.Time) bool { return !now.Before(end) })
	for name := range w.until {
		delete(all, name)
	}
	return all
}

// guard looks at the connections until the server closes.
func (s *Server) guard() {
	t := time.NewTicker(s.dog.look)
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

// guardOnce shuts those out who exceed the limits, and admits those again whose time is over.
func (s *Server) guardOnce(now time.Time) {
	const most = 1 << 20 // connections that are listed; the server has no more files
	list, err := s.s.Connz(&natsd.ConnzOptions{Username: true, State: natsd.ConnAll, Limit: most})
	if err != nil {
		return // only options can be wrong
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.dog.examine(list.Conns, now)
	for _, line := range said {
		s.log.report(line)
	}
	if err := s.admit(now); err != nil {
		s.log.report(err.Error())
	}
}
