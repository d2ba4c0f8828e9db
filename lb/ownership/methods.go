package ownership

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/lb/circuit"
	"lockstep/lb/partition"
)

// A method returns new owners of all blocks, from their expected times.
type method func(b *Balancer, l Loads) ([]int32, error)

// Methods are the names of the ways to change owners:
//
//   - "few" moves few blocks.
//   - "ranges" gives each node consecutive blocks that take equal times.
//   - "circuit" lets neighbours on a ring of nodes balance in pairs, see package circuit.
//   - The others are partitioners of package partition, applied to the positions of the blocks in the picture.
var Methods = []string{"few", "ranges", "circuit", "rcb", "rib", "hsfc", "norcb", "flow"}

// methodsNamed returns the methods whose plans are compared: several for Auto, and otherwise one.
func methodsNamed(name string) ([]method, error) {
	if name != Auto {
		m, err := methodNamed(name)
		return []method{m}, err
	}
	return []method{moveFew, func(b *Balancer, l Loads) ([]int32, error) {
		if len(l.X) == 0 { // positions are not known
			return consecutive(l.Seconds, b.nodes), nil
		}
		return partitionPicture(b, l, partition.NoRCB)
	}}, nil
}

// methodNamed returns the method with the given name.
func methodNamed(name string) (method, error) {
	switch name {
	case "few":
		return moveFew, nil
	case "ranges":
		return func(b *Balancer, l Loads) ([]int32, error) { return consecutive(l.Seconds, b.nodes), nil }, nil
	case "circuit":
		return balanceRing, nil
	}
	for _, m := range partition.Methods {
		if m.Name == name && slices.Contains(Methods, name) {
			return func(b *Balancer, l Loads) ([]int32, error) { return partitionPicture(b, l, m.Method) }, nil
		}
	}
	return nil, fmt.Errorf("how to balance: %q: expected one of %v", name, Methods)
}

// consecutive gives each node consecutive blocks of about the same total weight.
func consecutive(weight []float64, nodes int) []int32 {
	total := 0.0
	for _, w := range weight {
		total += w
	}
	owner, node, sum := make([]int32, len(weight)), 0, 0.0
	for i, w := range weight {
		for node < nodes-1 && sum+w/2 >= total*float64(node+1)/float64(nodes) {
			node++
		}
		owner[i] = int32(node)
		sum += w
	}
	return owner
}

// imbalanceTolerance is the largest accepted difference between the slowest node's time and the mean, as a fraction of
// the mean. Below it, noise decides which node is slowest, and moves save no time.
const imbalanceTolerance = 0.02

// moveFew moves blocks from the slowest node to the fastest, one at a time. For each move it chooses the block that
// leaves the slower of these two nodes with the least time. It stops when no move helps or when the slowest node is
// close to the mean. Each move costs O(blocks).
func moveFew(b *Balancer, l Loads) ([]int32, error) {
	owner, load := slices.Clone(b.owner), make([]float64, b.nodes)
	for i, s := range l.Seconds {
		load[owner[i]] += s
	}
	mean := 0.0
	for _, s := range load {
		mean += s / float64(b.nodes)
	}
	for range len(owner) {
		from, to := 0, 0
		for n, s := range load {
			if s > load[from] {
				from = n
			}
			if s < load[to] {
				to = n
			}
		}
		gap := load[from] - load[to]
		if load[from] <= mean*(1+imbalanceTolerance) || gap <= 0 {
			break
		}
		best, slower := -1, load[from]
		for i, s := range l.Seconds {
			if int(owner[i]) != from || s == 0 {
				continue
			}
			if after := max(load[from]-s, load[to]+s); after < slower {
				best, slower = i, after
			}
		}
		if best < 0 {
			break
		}
		owner[best] = int32(to)
		load[from] -= l.Seconds[best]
		load[to] += l.Seconds[best]
	}
	return owner, nil
}

// balanceRing lets each pair of neighbours on a ring of nodes balance once, by the method of package circuit that moves
// few loads.
func balanceRing(b *Balancer, l Loads) ([]int32, error) {
	if b.nodes < 2 {
		return slices.Clone(b.owner), nil
	}
	edges := make([]circuit.Edge, 0, b.nodes)
	for n := range b.nodes {
		if next := (n + 1) % b.nodes; next != n {
			edges = append(edges, circuit.Edge{U: int32(min(n, next)), V: int32(max(n, next))})
		}
	}
	g, err := circuit.NewGraph(b.nodes, edges)
	if err != nil {
		return nil, err
	}
	n := &circuit.Network{Graph: g, Circuit: circuit.Colour(g), Load: slices.Clone(l.Seconds), Owner: slices.Clone(b.owner)}
	if err := n.Start(); err != nil {
		return nil, err
	}
	n.Round(circuit.Exchange{}, new(circuit.Workspace))
	return n.Owner, nil
}

var errPlaces = errors.New("the places of the blocks are not known")

// partitionPicture divides the picture by method m. It numbers the parts so that as many bytes as possible stay on
// their node.
func partitionPicture(b *Balancer, l Loads, m partition.Method) ([]int32, error) {
	if len(l.X) != len(l.Seconds) || len(l.Y) != len(l.Seconds) {
		return nil, errPlaces
	}
	p := partition.Points{At: [][]float64{l.X, l.Y}, Weight: l.Seconds}
	if len(l.VX) == len(l.Seconds) && len(l.VY) == len(l.Seconds) {
		p.Velocity = [][]float64{l.VX, l.VY}
	}
	next, err := m(p, b.nodes, partition.Options{Horizon: float64(b.since)})
	if err != nil {
		return nil, err
	}
	next.Renumber(partition.Stay(b.owner, next.Owner, b.options.Bytes, b.nodes))
	return next.Owner, nil
}
