package cluster_test

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"lockstep/cluster"
)

// queueFrames is the number of frames of BenchmarkQueue. docs/record/film.md has results for 30000 and 100000 frames.
var queueFrames = flag.Int("queue-frames", 2000, "frames of BenchmarkQueue")

// BenchmarkQueue measures a queue of frames that take no time to draw: how many tasks per second are accepted, drawn
// by eight nodes, and reported. The server writes every task to its disk at once.
//
//	go test ./cluster -run '^$' -bench Queue -benchtime 1x -queue-frames 100000
func BenchmarkQueue(b *testing.B) {
	for range b.N {
		h := newTestServer(b)
		c := h.dial(h.admin)
		h.prepare(c)
		job := newJob(*queueFrames)
		job.Lease = 10 * time.Second
		tasks := func(since time.Time) float64 { return float64(*queueFrames) / time.Since(since).Seconds() }

		began := time.Now()
		job, err := c.Submit(b.Context(), job)
		check(b, err)
		b.ReportMetric(tasks(began), "accepted/s")

		began = time.Now()
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, queueNodes)
		for i := range queueNodes {
			conn := h.dial(h.worker)
			go func() {
				ended <- conn.Work(ctx, ctx, new(fakeDrawer), cluster.WorkOptions{Name: fmt.Sprintf("node%d", i)})
			}()
		}
		l := newRecordingFollower()
		check(b, c.Follow(b.Context(), job.ID, l))
		b.ReportMetric(tasks(began), "drained/s")
		cancel()
		for range queueNodes {
			<-ended
		}
		if len(l.done) != *queueFrames {
			b.Fatalf("%d frames of %d", len(l.done), *queueFrames)
		}
		began = time.Now()
		s, err := c.Status(b.Context(), job.ID)
		check(b, err)
		if s.Left() != 0 {
			b.Fatalf("%d frames are left", s.Left())
		}
		b.ReportMetric(tasks(began), "reported/s")
	}
}

// queueNodes is the number of nodes that draw the frames of the queue.
const queueNodes = 8
