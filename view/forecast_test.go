package view

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A link needs `wait` milliseconds to transfer a picture without bytes, and `largest` milliseconds more for a picture
// of the largest size.
type link struct{ wait, largest float64 }

// drawnWork is the work of the levels as a multiple of the fastest level's work. It belongs to a machine for which
// usualWork is not accurate.
var drawnWork = [len(levels)]float64{4.2, 2.3, 2, 1.4, 1}

// dragOver lets a quality choose the levels of n movements, and returns the number of changes. The fastest level
// takes `fastest` milliseconds to draw.
func dragOver(q *quality, r *rand.Rand, n int, fastest float64, l link) (changes int) {
	for range n {
		level := q.level
		made := fastest * drawnWork[level] * (1 + 0.1*r.Float64())
		way := (l.wait + l.largest*usualSize[level]) * (1 + 0.1*r.Float64())
		if q.observe(movement{level, made + way, made}); q.level != level {
			changes++
		}
	}
	return changes
}

// TestQualitySettles drags over links that are constant, with a burst of another program or a slower link in between.
// The level must change only a few times, return to the best level after the burst, and then stay there.
func TestQualitySettles(t *testing.T) {
	wide, far, narrow := link{8, 0}, link{110, 0}, link{8, 120}
	for name, c := range map[string]struct {
		fastest   float64
		calm      link
		burst     float64 // factor by which a burst slows drawing down
		during    link
		triangles int
		after     int // best level after the burst
	}{
		"burst":                    {10, wide, 8, wide, 10, 1},
		"burst, larger mesh":       {10, wide, 8, wide, 500_000, 1},
		"burst, largest mesh":      {10, wide, 8, wide, 5_000_000, 1},
		"short pictures":           {2, wide, 8, wide, 5_000_000, 0},
		"always late":              {200, wide, 8, wide, 10, 4},
		"far":                      {5, far, 8, far, 500_000, 0},
		"narrow for a while":       {2, wide, 1, narrow, 10, 0},
		"always narrow":            {5, narrow, 8, narrow, 10, 4},
		"always narrow, from 1 on": {5, narrow, 8, narrow, 500_000, 4},
		"always narrow, from 2 on": {5, narrow, 8, narrow, 5_000_000, 4},
	} {
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 3))
			q, err := newQuality("", c.triangles)
			if err != nil {
				t.Fatal(err)
			}
			changes := dragOver(q, r, 300, c.fastest, c.calm)
			changes += dragOver(q, r, 40+int(seed), c.fastest*c.burst, c.during)
			changes += dragOver(q, r, 600, c.fastest, c.calm)
			later := dragOver(q, r, 1000, c.fastest, c.calm)
			if changes > 8 || later > 0 || q.level != c.after {
				t.Errorf("%s, seed %d: level %d after %d changes and %d later, want %d", name, seed, q.level, changes, later, c.after)
			}
		}
	}
}

// drawnFor records n movements at a level.
func (f *forecast) drawnFor(n, level int, made, way float64) {
	for range n {
		f.observe(movement{level, made + way, made}, level)
	}
}

// TestForecastOfWork checks how the work of a new level is measured. After a steady load, the first movements at the
// level determine its work, within bounds.
func TestForecastOfWork(t *testing.T) {
	for name, c := range map[string]struct{ before, made, want float64 }{
		"steady":   {10 * usualWork[1], 12, 1.2},
		"unsteady": {100, 12, 1},
		"too long": {10 * usualWork[1], 100, maxWorkRatio},
		"no time":  {10 * usualWork[1], 0, 1.0 / maxWorkRatio},
	} {
		f := newForecast()
		f.drawnFor(50, 1, 10*usualWork[1], 8) // the load is 10 milliseconds
		f.drawnFor(1, 1, c.before, 8)
		f.levelChanged(1)
		f.observe(movement{1, 1000, 900}, 4) // this picture was drawn before the change of level
		f.drawnFor(1, 4, 500, 8)             // the first picture of a level does not count
		f.drawnFor(trialMovements, 4, c.made, 8)
		if math.Abs(f.work[4]-c.want) > 0.01 {
			t.Errorf("%s: work of %.3f, want %.3f", name, f.work[4], c.want)
		}
	}
}

// TestForecastOfWays checks that a transfer is predicted from the size of a picture, if transfers at levels with
// clearly different sizes depended on the size.
func TestForecastOfWays(t *testing.T) {
	narrow := func(level int) float64 { return 8 + 120*usualSize[level] }
	for name, c := range map[string]struct {
		from, to  int
		way, then float64 // milliseconds of a transfer at level from and at level to
		want      float64 // milliseconds of a transfer at level 0
	}{
		"narrow":        {1, 4, narrow(1), narrow(4), narrow(0)},
		"narrow, finer": {4, 0, narrow(4), narrow(0), narrow(0)},
		"far":           {1, 4, 110, 110, 110},
		"varies":        {1, 4, 110, 100, 100},
		"alike":         {0, 1, 30, 20, 20},
	} {
		f := newForecast()
		f.latency = 5
		f.drawnFor(10, c.from, 0, c.way)
		f.levelChanged(c.from)
		f.drawnFor(maxTrips, c.to, 0, c.then)
		if got := f.tripTime(0, c.to); name != "alike" && math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: a way of %.3f, want %.3f", name, got, c.want)
		}
		if (f.latency == 5) != (name == "alike") {
			t.Errorf("%s: %g without bytes", name, f.latency)
		}
	}
}

// TestSeen checks that the round-trip time of a movement that was shown counts once. Reports of the page about other
// pictures must not count.
func TestSeen(t *testing.T) {
	q, err := newQuality("", 10)
	if err != nil {
		t.Fatal(err)
	}
	s := session{quality: q}
	for seq := range uint32(3) {
		s.awaitTrip(seq+1, movement{serverTime: 5})
	}
	for _, c := range []struct {
		shown       uint32
		trip        float64
		trips, sent int
	}{{0, 40, 0, 3}, {2, 40, 1, 1}, {2, 40, 1, 1}, {1, 40, 1, 1}, {3, 0, 1, 0}, {math.MaxUint32, 999999, 1, 0}} {
		s.observeTrip(&request{Shown: c.shown, Trip: c.trip})
		if len(q.trips) != c.trips || len(s.sent) != c.sent {
			t.Errorf("%d was shown: %d trips and %d on their way, want %d and %d", c.shown, len(q.trips), len(s.sent), c.trips, c.sent)
		}
	}
	for seq := range uint32(10 * maxSent) {
		if s.awaitTrip(seq, movement{}); len(s.sent) > maxSent {
			t.Fatalf("%d pictures are remembered", len(s.sent))
		}
	}
}
