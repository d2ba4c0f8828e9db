package array

import "math"

// MinNearness replaces NaN and every smaller nearness. Because of it, no key is 0, which is the value of untouched
// pixels. It is the smallest normal float32.
const MinNearness = 0x1p-126

// Key returns the key with nearness e in its upper half and low, the complement of the payload, in its lower half.
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
