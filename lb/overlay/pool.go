package overlay

// A Pool is the work that one peer has: a divisible amount that may grow while
// it is worked on. Applications implement it.
//
// A parcel is a part of a pool on its way to another peer, as bytes. Pools of
// one run understand each other's parcels.
type Pool interface {
	// Empty says whether there is no work.
	Empty() bool
	// Amount is the work at hand in the application's unit, for instance open
	// nodes of a tree: 0 if and only if the pool is empty. It need not be
	// proportional to the time that the work will take.
	Amount() float64
	// Split removes about the given fraction of the amount and returns it. Below
	// 1 it always leaves something behind, and returns nil where it then has
	// nothing to give; 1 removes everything.
	Split(fraction float64) []byte
	// Take removes the given number of units, the largest that can be given
	// away, and returns nil as Split does.
	Take(units int) []byte
	// Merge adds a parcel.
	Merge(parcel []byte)
	// Work does up to steps steps and returns how many it did: fewer only if
	// the pool is empty then.
	Work(steps int) int
}

// Bounded is a Pool of a search that prunes: smaller bounds prune more. Peers
// tell their neighbours about better bounds.
type Bounded interface {
	Pool
	// Bound is the best value known.
	Bound() int64
	// Improve lowers the bound to a value found elsewhere.
	Improve(bound int64)
}

// Accountable is a Pool whose work can be done again: the protocol that keeps
// copies of what it gives away collects results parcel by parcel.
type Accountable interface {
	Pool
	// Result removes and returns what the work since the last call has produced.
	Result() []byte
	// Credit adds the result of another pool.
	Credit(result []byte)
}

// A Share says how much of its work a donor gives.
type Share uint8

const (
	// Proportional is the paper's share: by the sizes of the subtrees that donor
	// and receiver stand for.
	Proportional Share = iota
	// Half is half of what the donor has.
	Half
	// One is one unit of work, whatever a unit is to the application.
	One
	// Two is two units.
	Two
)

var shareNames = names{"proportional", "half", "one", "two"}

// String returns the name that ParseShare reads.
func (s Share) String() string { return shareNames.of(int(s)) }

// ParseShare returns the share of a name: proportional, half, one or two.
func ParseShare(name string) (Share, error) {
	i, err := shareNames.parse("share", name)
	return Share(i), err
}

// portion removes from a pool what a share comes to. The fraction is that of
// Proportional.
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
