package cluster

import (
	"sync"
	"time"
)

// A losses tells of lost connections. The zero value is ready.
type losses struct {
	mu    sync.Mutex
	next  chan struct{} // closed by the next loss; nil: nobody waits for it
	many  int           // there were
	away  bool          // there is no connection, as far as is known here
	again time.Time     // when there was one again, or at last; zero: the first one was made at once, to a server that nobody knew before
}

// happened notes a loss.
func (l *losses) happened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.many++
	l.away = true
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// ended notes that there is a connection after a loss, or after a wait for the first one.
func (l *losses) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away, l.again = false, time.Now()
}

// count returns how many there were.
func (l *losses) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.many
}

// since returns for how long there has been a connection. The library tells of a new one a little late.
func (l *losses) since() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return 0
	}
	return time.Since(l.again)
}

// wait returns what is closed by the next loss.
func (l *losses) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = make(chan struct{})
	}
	return l.next
}
