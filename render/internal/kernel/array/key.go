package array

import "math"

// MinNearness replaces NaN and every smaller nearness. It is the smallest normal float32. So no key of a drawn sample
// is 0, the key of untouched samples.
const MinNearness = 0x1p-126

// Key returns the key with nearness e in its upper half. The lower half, low, is the payload with all bits inverted.
func Key(e float32, low uint64) uint64 {
	if !(e > MinNearness) {
		e = MinNearness
	}
	return uint64(math.Float32bits(e))<<32 | low
}

// Payload returns the payload of a key that is not 0.
func Payload(key uint64) uint32 { return ^uint32(key) }

// Nearness returns the nearness of a key that is not 0.
func Nearness(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }
