package criterion

import "math"

// An interval has the measurements since the last balancing.
type interval struct {
	age   int     // iterations since the balancing
	known int     // ages below this were seen in earlier intervals
	least float64 // the least I in this interval
	last  float64
	top   float64 // greatest I in this interval
	fall  float64 // the furthest that I has fallen below an earlier value of its interval, in the whole run
	jump  float64 // the furthest that I has risen in one iteration of this interval
	stay  float64 // excess so far

	// rows are the alternatives in hindsight: rows[i] is the least cost, excess
	// and balancings, of a history of this interval that balanced last at age
	// (i+1)*width.
	rows []float64
}

func (r *interval) begin(known int) {
	*r = interval{known: known, fall: r.fall, rows: r.rows[:0]}
}

// lower keeps the least I.
func (r *interval) lower(i float64) {
	if r.age == 0 || i < r.least {
		r.least = i
	}
}

// add takes in an iteration that the curve already contains.
func (r *interval) add(c *curve, s Sample, cost level) {
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
func (r *interval) best() float64 {
	least := math.Inf(1)
	for _, g := range r.rows {
		least = min(least, g)
	}
	return least
}

// halve keeps the alternatives that still lie between two buckets.
func (r *interval) halve() {
	n := 0
	for i := 1; i < len(r.rows); i += 2 {
		r.rows[n] = r.rows[i]
		n++
	}
	r.rows = r.rows[:n]
}

// An accuracy compares forecasts by the curve of earlier intervals with those by the
// last iteration's value. The curve is trusted while its forecasts are better.
type accuracy struct {
	all  losses // of all intervals; each counts half as much as the next
	here losses // of this interval
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

func (m *accuracy) begin() {
	m.all = losses{m.all.curve / 2, m.all.last / 2, m.all.size / 2}
	m.here = losses{}
}

// judge compares the curve's forecast for an age with that of the last iteration's
// imbalance. known is the number of ages that were seen in earlier intervals.
func (m *accuracy) judge(past *curve, age, known int, last float64, s Sample) {
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

func (m *accuracy) trusted() bool { return m.all.curve <= m.all.last+float64(roundoff*m.all.size) }

// failed reports that the curve forecast this interval badly. Under noise alone both
// sums of errors are about equal; over a few dozen iterations chance does not make
// one half as large again as the other.
func (m *accuracy) failed() bool {
	return m.here.curve > float64(1.5*m.here.last)+float64(roundoff*m.here.size)
}
