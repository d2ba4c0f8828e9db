package criterion

import "math"

// stretch is what has happened since the last balancing.
type stretch struct {
	age   int     // iterations since the balancing
	known int     // ages below this were seen in earlier stretches
	least float64 // the least I in this stretch
	last  float64
	top   float64 // greatest I in this stretch
	fall  float64 // the furthest that I has fallen below an earlier value of its stretch, in the whole run
	jump  float64 // the furthest that I has risen in one iteration of this stretch
	stay  float64 // excess so far

	// rows are the alternatives in hindsight: rows[i] is the least cost, excess
	// and balancings, of a history of this stretch that balanced last at age
	// (i+1)*width.
	rows []float64
}

func (r *stretch) begin(known int) {
	*r = stretch{known: known, fall: r.fall, rows: r.rows[:0]}
}

// lower keeps the least I.
func (r *stretch) lower(i float64) {
	if r.age == 0 || i < r.least {
		r.least = i
	}
}

// add takes in an iteration that the curve already contains.
func (r *stretch) add(c *curve, s Sample, cost level) {
	width := max(1, c.width)
	b := c.bucket(r.age)
	if r.age > 0 && r.age == b*width && len(r.rows) == b-1 {
		g := math.Inf(1)
		if cost.n > 0 {
			g = min(r.stay, r.best()) + cost.forecast()
		}
		r.rows = append(r.rows, g)
	}
	for i := range r.rows {
		r.rows[i] += float64(s.Mean * c.at(b-i-1))
	}
	r.stay += s.Max - s.Mean
	now := s.imbalance()
	if r.age > 0 {
		r.jump = max(r.jump, now-r.last)
	}
	r.last = now
	r.top = max(r.top, r.last)
	r.fall = max(r.fall, r.top-r.last)
	r.age++
}

// best returns the least cost in hindsight with a balancing.
func (r *stretch) best() float64 {
	least := math.Inf(1)
	for _, g := range r.rows {
		least = min(least, g)
	}
	return least
}

// halve keeps the alternatives that still lie between two buckets.
func (r *stretch) halve() {
	n := 0
	for i := 1; i < len(r.rows); i += 2 {
		r.rows[n] = r.rows[i]
		n++
	}
	r.rows = r.rows[:n]
}

// memory judges whether the learned curve is worth trusting: it must predict the
// imbalance better than the last iteration's value does.
type memory struct {
	all  losses // older stretches count for less: half for each
	here losses // this stretch
}

// losses are sums of absolute errors.
type losses struct {
	curve, last float64
	size        float64 // sum of the imbalances
}

func (l *losses) add(m losses) {
	l.curve += m.curve
	l.last += m.last
	l.size += m.size
}

func (m *memory) begin() {
	m.all = losses{m.all.curve / 2, m.all.last / 2, m.all.size / 2}
	m.here = losses{}
}

// judge compares the curve's forecast for an age with that of the last iteration's
// imbalance. known is the number of ages that were seen in earlier stretches.
func (m *memory) judge(past *curve, age, known int, last float64, s Sample) {
	if age == 0 || age >= known || s.Mean <= 0 {
		return
	}
	now := s.imbalance()
	loss := losses{math.Abs(now - past.at(past.bucket(age))), math.Abs(now - last), math.Abs(now)}
	m.all.add(loss)
	m.here.add(loss)
}

// roundoff is the part of a sum of imbalances that may be rounding error of the
// curve's quotients; without it an exactly flat curve would lose to itself.
const roundoff = 1e-9

func (m *memory) trusted() bool { return m.all.curve <= m.all.last+float64(roundoff*m.all.size) }

// failed reports that the curve was no guide to this stretch. Under noise alone
// both sums of errors are about equal; half as much again is more than chance
// makes of a few dozen.
func (m *memory) failed() bool {
	return m.here.curve > float64(1.5*m.here.last)+float64(roundoff*m.here.size)
}
