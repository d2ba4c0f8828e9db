package overlay

// A Pool is the work of one peer: a divisible amount that may grow while the peer works on it. Applications implement
// Pool.
//
// A parcel is a part of a pool on its way to another peer, as bytes. All pools of a run can read each other's parcels.
type Pool interface {
	// Empty reports whether the pool has no work.
	Empty() bool
	// Amount returns the amount of work in the application's unit, for instance open nodes of a tree. It is 0 if and
	// only if the pool is empty. It need not be proportional to the time that the work will take.
	Amount() float64
	// Split removes about the given fraction of the amount and returns it as a parcel. If fraction is 1, it removes
	// everything. If fraction is below 1, it always leaves some work, and returns nil if the work cannot be divided.
	Split(fraction float64) []byte
	// Take removes the given number of units and returns them as a parcel. It takes the largest units that can be given
	// away. Like Split it may return nil.
	Take(units int) []byte
	// Merge adds a parcel.
	Merge(parcel []byte)
	// Work does at most the given number of steps, and returns how many it did. It does fewer steps only if the pool
	// becomes empty.
	Work(steps int) int
}

// Bounded is a Pool of a search that prunes by a bound; smaller bounds prune more. Peers tell their neighbours about
// better bounds.
type Bounded interface {
	Pool
	// Bound returns the best value known.
	Bound() int64
	// Improve lowers the bound to a value that another peer found.
	Improve(bound int64)
}

// Accountable is a Pool whose work can be done again after a loss. The protocol Keep collects the results of each
// parcel separately. Its donors store a copy of each parcel that they give away.
type Accountable interface {
	Pool
	// Result returns the result of the work since the last call, and removes it from the pool.
	Result() []byte
	// Credit adds the result of another pool.
	Credit(result []byte)
}

// A Share says how much of its work a donor gives.
type Share uint8

const (
	// Proportional gives in proportion to the sizes of the subtrees of donor and receiver, as Vu and others do.
	Proportional Share = iota
	// Half is half of the donor's work.
	Half
	// One is one unit of work, in the application's unit.
	One
	// Two is two units of work.
	Two
)

var shareNames = names{"proportional", "half", "one", "two"}

// String returns the name that ParseShare reads.
func (s Share) String() string { return shareNames.text(int(s)) }

// ParseShare returns the share with the given name: proportional, half, one or two. It fails for any other name.
func ParseShare(name string) (Share, error) {
	i, err := shareNames.parse("share", name)
	return Share(i), err
}

// portion removes the share s of a pool's work and returns it as a parcel. fraction is used only if s is Proportional.
func (s Share) portion(p Pool, fraction float64) []byte {
	switch s {
	case Half:
		return p.Split(0.5)
	case One, Two:
		return p.Take(int(s-One) + 1)
	default:
		return p.Split(fraction)
	}
}
