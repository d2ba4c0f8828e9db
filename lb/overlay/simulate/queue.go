package simulate

// An event is the arrival of a message. An event without a message is the end of a peer's slice of work.
type event struct {
	at      int64 // in nanoseconds
	order   int64 // order of scheduling, for events at the same time
	peer    int32
	message int32 // index of the message, or -1
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// A queue is a heap of events with four children per node. It is half as deep as a binary heap, and the children of a
// node share one or two cache lines.
type queue struct {
	events []event
	orders int64
}

func (q *queue) push(e event) {
	q.orders++
	e.order = q.orders
	q.events = append(q.events, e)
	i := len(q.events) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&q.events[up]) {
			break
		}
		q.events[i] = q.events[up]
		i = up
	}
	q.events[i] = e
}

func (q *queue) pop() event {
	first, last := q.events[0], q.events[len(q.events)-1]
	q.events = q.events[:len(q.events)-1]
	n := len(q.events)
	if n == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		best := child
		for c := child + 1; c < min(child+4, n); c++ {
			if q.events[c].before(&q.events[best]) {
				best = c
			}
		}
		if !q.events[best].before(&last) {
			break
		}
		q.events[i] = q.events[best]
		i = best
	}
	q.events[i] = last
	return first
}
