package main

import "lockstep/cluster/split"

// newOwners returns who decides which node owns which block.
func newOwners(c *filmCommand) split.Owners { return evenOwners{} }

// evenOwners gives consecutive blocks to each node, as many to each.
type evenOwners struct{}

// Assign implements split.Owners.
func (evenOwners) Assign(blocks, nodes int) []int {
	owner := make([]int, blocks)
	for b := range owner {
		owner[b] = b * nodes / blocks
	}
	return owner
}

// Frame implements split.Owners.
func (evenOwners) Frame(int, []float64) []int { return nil }
