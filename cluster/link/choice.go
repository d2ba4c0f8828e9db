package link

import "time"

// A choice decides on a connection whether bodies are compressed before they are sent: when
// the time that the link is spared is more than compressing takes. As in the lanes'
// cycle the saving is underestimated, by the fastest sending and the least compression that
// were seen lately, and the cost overestimated, by the slowest compression.
type choice struct {
	wire, packing, ratio window // seconds a byte, seconds a byte, bytes sent a byte
	untried              int    // bodies since one was compressed
}

const (
	// leastChoice is the size of a body, in bytes, from which on it matters: less fits the
	// buffers of the system, so that the time to send it is not known.
	leastChoice = 512 << 10
	// trialPause is how many bodies are sent before a sample of one is compressed to see what that
	// would bring now: less than 1 % of the work.
	trialPause = 32
	// sampleBytes is the size of such a sample.
	sampleBytes = leastChoice / 2
)

// due reports whether a sample of a body of n bytes is to be compressed before it is sent.
func (c *choice) due(n int) bool {
	return n >= leastChoice && (c.packing.n == 0 || c.untried >= trialPause)
}

// sample returns the middle of a body.
func sample(body []byte) []byte {
	at := (len(body) - sampleBytes) / 2
	return body[at : at+sampleBytes]
}

// wants reports whether a body of n bytes is compressed.
func (c *choice) wants(n int) bool {
	if n < leastChoice || c.packing.n == 0 || c.wire.n == 0 {
		return false
	}
	return (1-c.ratio.most())*c.wire.least() > c.packing.most()
}

// packed learns from a body of n bytes that took d to compress to m bytes.
func (c *choice) packed(n, m int, d time.Duration) {
	c.untried = 0
	c.packing.add(d.Seconds() / float64(n))
	c.ratio.add(float64(m) / float64(n))
}

// sent learns from n bytes that took d to send, as they are or compressed.
func (c *choice) sent(n int, d time.Duration) {
	c.untried++
	if n >= leastChoice {
		c.wire.add(d.Seconds() / float64(n))
	}
}

// A window holds the last few measurements of something.
type window struct {
	values [8]float64
	n      int
}

func (w *window) add(v float64) {
	w.values[w.n%len(w.values)] = v
	w.n++
}

func (w *window) all() []float64 { return w.values[:min(w.n, len(w.values))] }

// least and most return the extremes of what is remembered; 0 of nothing.
func (w *window) least() float64 {
	var v float64
	for i, x := range w.all() {
		if i == 0 || x < v {
			v = x
		}
	}
	return v
}

func (w *window) most() float64 {
	var v float64
	for _, x := range w.all() {
		v = max(v, x)
	}
	return v
}
