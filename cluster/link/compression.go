package link

import "time"

// A compression decides whether the bodies of messages are compressed. Bodies are compressed if sending fewer bytes
// saves more time than compressing takes. The estimates are cautious. The saving is computed from the fastest transfer
// and the worst compression ratio of the latest measurements, and the cost from the slowest compression.
type compression struct {
	sendTime, packTime, ratio window // sendTime and packTime in seconds per byte, ratio in compressed bytes per byte
	sinceSample               int    // bodies sent since the latest compression of a sample or a body
}

const (
	// minCompressed is the size in bytes from which bodies are compressed. Smaller bodies fit into the system's send
	// buffer, so their sending time cannot be measured.
	minCompressed = 512 << 10
	// sampleInterval is the number of bodies between two samples. A sample is a part of a body that is compressed to
	// measure the present compression ratio. Samples take less than 1 % of the time.
	sampleInterval = 32
	// sampleBytes is the size of a sample.
	sampleBytes = minCompressed / 2
)

// needsSample reports whether a sample of a body of n bytes has to be compressed before sending.
func (c *compression) needsSample(n int) bool {
	return n >= minCompressed && (c.packTime.n == 0 || c.sinceSample >= sampleInterval)
}

// sampleOf returns the sample of a body, which is its middle.
func sampleOf(body []byte) []byte {
	at := (len(body) - sampleBytes) / 2
	return body[at : at+sampleBytes]
}

// savesTime reports whether compressing a body of n bytes saves time.
func (c *compression) savesTime(n int) bool {
	if n < minCompressed || c.packTime.n == 0 || c.sendTime.n == 0 {
		return false
	}
	return (1-c.ratio.most())*c.sendTime.least() > c.packTime.most()
}

// recordPack notes that n bytes were compressed to m bytes in time d.
func (c *compression) recordPack(n, m int, d time.Duration) {
	c.sinceSample = 0
	c.packTime.add(d.Seconds() / float64(n))
	c.ratio.add(float64(m) / float64(n))
}

// recordSend notes that n bytes were sent in time d.
func (c *compression) recordSend(n int, d time.Duration) {
	c.sinceSample++
	if n >= minCompressed {
		c.sendTime.add(d.Seconds() / float64(n))
	}
}

// A window holds the latest measurements of a quantity.
type window struct {
	values [8]float64
	n      int
}

func (w *window) add(v float64) {
	w.values[w.n%len(w.values)] = v
	w.n++
}

func (w *window) all() []float64 { return w.values[:min(w.n, len(w.values))] }

// least returns the smallest value in the window, or 0 if the window is empty.
func (w *window) least() float64 {
	var v float64
	for i, x := range w.all() {
		if i == 0 || x < v {
			v = x
		}
	}
	return v
}

// most returns the largest value in the window, or 0 if the window is empty.
func (w *window) most() float64 {
	var v float64
	for _, x := range w.all() {
		v = max(v, x)
	}
	return v
}
