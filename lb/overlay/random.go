package overlay

// A random is a peer's generator of pseudo-random numbers: SplitMix64 of Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014.
type random uint64

// newRandom returns the generator of peer id.
func newRandom(seed uint64, id int) random {
	r := random(seed + uint64(id)*0x9e3779b97f4a7c15)
	r.next()
	return random(r.next())
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1. For n below 2^31, the probability of each number differs from 1/n by less than
// 2^-32.
func (r *random) below(n int) int {
	return int((r.next() >> 32) * uint64(n) >> 32)
}

// other returns a random one of n peers, but never self.
func (r *random) other(n int, self int32) int32 {
	v := int32(r.below(n - 1))
	if v >= self {
		v++
	}
	return v
}
