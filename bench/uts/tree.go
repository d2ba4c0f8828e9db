// Package uts counts the nodes of trees that a rule generates while they are visited: the benchmark of Olivier and
// others, "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006.
//
// A node is 20 bytes, the SHA-1 hash of its parent's bytes and its number among its siblings. The number of its
// children follows from these bytes and its depth. So any peer can visit nodes in any order, but the size of a subtree
// is not known before it has been visited.
package uts

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"lockstep/vp/isa"
)

// Kind is a family of trees.
type Kind uint8

const (
	// Binomial trees: the root has Branches children. Every other node has M children with probability Q, and otherwise
	// none. All subtrees have the same expected size.
	Binomial Kind = iota
	// Geometric trees: the number of children is geometrically distributed. Shape gives its mean as a function of the
	// depth.
	Geometric
	// Hybrid trees are geometric at depths less than Fraction*Depth, and binomial at greater depths.
	Hybrid
	// Balanced trees: nodes of depths less than Depth have Branches children, and deeper nodes have none.
	Balanced
)

// A Shape gives the mean number of children in a geometric tree, as a function of the depth.
type Shape uint8

const (
	Linear      Shape = iota // falls linearly from Branches at the root to 0 at Depth
	Exponential              // falls as a power of the depth, from Branches at the root to 1 at Depth
	Cyclic                   // rises and falls as Branches^sin(2*pi*depth/Depth), then 0 at depths beyond 5*Depth
	Fixed                    // Branches at depths less than Depth, then 0
)

// Params are a tree's parameters. The comment of each field is its option in the reference implementation, UTS 2.1.
type Params struct {
	Kind     Kind    // -t
	Shape    Shape   // -a
	Branches float64 // -b
	Q        float64 // -q
	M        int     // -m
	Depth    int     // -d
	Fraction float64 // -f; 0 means 0.5, the default of the reference
	Seed     uint32  // -r
}

// maxChildren is the reference implementation's limit for every node but the root of a binomial tree.
const maxChildren = 100

// maxDepth limits Params.Depth.
const maxDepth = 1 << 16

// A Tree computes the children of nodes. It is read-only and may be shared.
type Tree struct {
	params    Params
	kernel    kernel
	tables    []uint32 // by depth: index in cells of the depth's table
	lastTable uint32   // index for all depths that are not in tables
	cells     []tableCell
	exact     bool      // no cell is mixed, see tableCell
	scratch   sync.Pool // of *batch; a Pool needs one only in Work
}

// New returns a tree. If parameters are wrong, the error lists all faults.
func New(p Params) (*Tree, error) {
	if p.Fraction == 0 {
		p.Fraction = 0.5
	}
	if err := p.validate(); err != nil {
		return nil, err
	}
	level, err := isa.Select("auto")
	if err != nil {
		return nil, err
	}
	t := &Tree{params: p}
	t.scratch.New = func() any { return newBatch() }
	t.makeTables()
	t.kernel = kernelFor(level, t.exact)
	return t, nil
}

func (p Params) validate() error {
	var faults []error
	fault := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(p.Kind > Balanced, "unknown kind of tree %d", p.Kind)
	fault(p.Shape > Fixed, "unknown shape %d", p.Shape)
	fault(!(p.Branches >= 0 && p.Branches < mixedCell), "%v branches: expected 0 to 65534", p.Branches)
	deep := p.Kind != Binomial
	fault(deep && (p.Depth < 1 || p.Depth > maxDepth), "depth %d: expected 1 to %d", p.Depth, maxDepth)
	fault(!(p.Fraction >= 0 && p.Fraction <= 1), "fraction %v: expected 0 to 1", p.Fraction)
	if p.Kind == Binomial || p.Kind == Hybrid {
		fault(!(p.Q >= 0 && p.Q <= 1), "probability %v: expected 0 to 1", p.Q)
		fault(p.M < 0 || p.M > maxChildren, "%d children: expected 0 to %d", p.M, maxChildren)
		// If Q*M is slightly above 1, trees are large or, with bad luck, endless. For the sample tree T3L, Q*M is
		// 1.00007.
		fault(p.Q*float64(p.M) > 1.001, "probability %v times %d children: an endless tree", p.Q, p.M)
	}
	fault(p.Kind == Balanced && p.Branches < 1, "%v branches: expected at least 1", p.Branches)
	return errors.Join(faults...)
}

// isBinomial reports whether nodes of a depth have children as in a binomial tree.
func (p Params) isBinomial(depth int) bool {
	return p.Kind == Binomial || p.Kind == Hybrid && float64(depth) >= p.Fraction*float64(p.Depth)
}

// meanChildren returns the mean number of children of the nodes of a depth in a geometric tree.
func (p Params) meanChildren(depth int) float64 {
	b, d, most := p.Branches, float64(depth), float64(p.Depth)
	switch {
	case depth == 0:
		return b
	case p.Shape == Linear:
		return max(0, b*(1-d/most))
	case p.Shape == Exponential:
		return b * math.Pow(d, -math.Log(b)/math.Log(most))
	case p.Shape == Cyclic && d > 5*most:
		return 0
	case p.Shape == Cyclic:
		return math.Pow(b, math.Sin(2*math.Pi*d/most))
	case depth < p.Depth:
		return b
	}
	return 0
}

// rootState returns the state of the root, which depends on the seed alone.
func (t *Tree) rootState() [5]uint32 {
	var text [20]byte
	binary.BigEndian.PutUint32(text[16:], t.params.Seed)
	hash := sha1.Sum(text[:])
	var state [5]uint32
	for i := range state {
		state[i] = binary.BigEndian.Uint32(hash[4*i:])
	}
	return state
}

// Params returns the parameters, including defaults.
func (t *Tree) Params() Params { return t.params }
