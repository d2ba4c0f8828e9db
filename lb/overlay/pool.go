package overlay

// A Pool is the work of one peer: an amount that can be divided and may grow while the peer works. Applications
// implement it.
//
// A parcel is a part of a pool on its way to another peer, as bytes. All pools of a run can read each other's parcels.
type Pool interface {
	// Empty reports whether the pool has no work.
	Empty() bool
	// Amount returns the amount of work in the application's unit, for instance open nodes of a tree. It is 0 exactly
	// if the pool is empty. The time that the work takes may differ.
	Amount() float64
	// Split removes about the given fraction of the amount and returns it as a parcel. With fraction 1 it removes
	// everything. With less it always leaves some work, and returns nil if the work cannot be divided.
	Split(fraction float64) []byte
	// Take removes a number of units and returns them as a parcel. It takes the largest units that can be given away.
	// It returns nil if the work cannot be divided.
	Take(units int) []byte
	// Merge adds the work of a parcel.
	Merge(parcel []byte)
	// Work does at most the given number of steps and returns the number that it did. It does fewer only if the pool
	// becomes empty.
	Work(steps int) int
}

// Bounded is a Pool of a search that prunes by a bound. The smaller the bound, the more is pruned. Peers tell their
// neighbours better bounds.
type Bounded interface {
	Pool
	// Bound returns the best known value.
	Bound() int64
	// Improve lowers the bound to a value that another peer has found.
	Improve(bound int64)
}

// Accountable is a Pool whose work can be done again after a loss. In the protocol Keep, the giver of a parcel stores a
// copy, and the results of each parcel are collected separately.
type Accountable interface {
	Pool
	// Result returns the result of the work since its last call, and removes it from the pool.
	Result() []byte
	// Credit adds a result of another pool.
	Credit(result []byte)
}

// A Share says how much of its work a donor gives away.
type Share uint8

const (
	// Proportional gives a part in proportion to the sizes of the subtrees of donor and receiver (Vu and others).
	Proportional Share = iota
	// Half gives half of the donor's work.
	Half
	// One gives one unit of work, in the application's unit.
	One
	// Two gives two units of work.
	Two
)

var shareNames = names{"proportional", "half", "one", "two"}

// String returns the name that ParseShare reads.
func (s Share) String() string { return shareNames.text(int(s)) }

// ParseShare returns the share of the given name: proportional, half, one or two. It returns an error for other names.
func ParseShare(name string) (Share, error) {
	i, err := shareNames.parse("share", name)
	return Share(i), err
}

// portion removes the share s of a pool's work and returns it as a parcel. Only Proportional uses fraction.
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
