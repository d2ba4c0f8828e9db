package gltf

import (
	"fmt"

	"lockstep/scenes/internal/assembly"
)

// maxTargets is how many morph targets of a primitive are used. Further targets are ignored.
const maxTargets = 256

// moveBytes is the number of bytes that the limit of memory counts for a morphTarget. A list to which elements are
// appended may have room for more of them, so this is more than the size of one.
const moveBytes = 32

// A morphTarget is a morph target and its weight. deltas holds a vector for each point, which is added to the position
// or to the normal of the point.
type morphTarget struct {
	deltas *elements
	weight float64
}

// applyTargets makes the functions of p add the morph targets of a primitive to positions and normals. Each target is
// multiplied by its weight.
func (b *meshBuilder) applyTargets(p *assembly.Points, targets []map[string]integer) error {
	moves, err := b.weightedTargets(p.N, "POSITION", targets)
	if err != nil || len(moves) == 0 {
		return err
	}
	p.Passes += len(moves)
	p.Positions = addMoves(p.Positions, moves)
	if p.Normals == nil {
		return nil
	}
	if moves, err = b.weightedTargets(p.N, "NORMAL", targets); err == nil && len(moves) > 0 {
		p.Passes += len(moves)
		p.Normals = addMoves(p.Normals, moves)
	}
	return err
}

// weightedTargets returns the morph targets that change an attribute of n points, with their weights.
func (b *meshBuilder) weightedTargets(n int, attribute string, targets []map[string]integer) (moves []morphTarget, err error) {
	weights := b.weights[:min(len(b.weights), len(targets))]
	if err := b.moving.Spend(b.in, int64(len(weights))); err != nil {
		return nil, err
	}
	if err := b.Reserve(moveBytes * int64(min(len(weights), maxTargets))); err != nil {
		return nil, err
	}
	for i, weight := range weights {
		a, ok := targets[i][attribute]
		if !ok || weight == 0 || len(moves) == maxTargets {
			continue
		}
		e, err := b.accessor(a, 3)
		if err == nil && e.n != n {
			err = fmt.Errorf("%d elements for %d vertices", e.n, n)
		}
		if err != nil {
			if err := b.warnUnlessFatal(b.place, fmt.Errorf("target %d: %w", i, err)); err != nil {
				return nil, err
			}
			continue
		}
		moves = append(moves, morphTarget{e, weight})
	}
	return moves, nil
}

// addMoves returns a function that writes the vectors of the function `still`, with `moves` added to them.
func addMoves(still func(lo, hi int, to [][3]float64), moves []morphTarget) func(lo, hi int, to [][3]float64) {
	return func(lo, hi int, to [][3]float64) {
		still(lo, hi, to)
		var d [3]float64
		for _, m := range moves {
			for k := range to {
				m.deltas.decodeNumbers(lo+k, 3, d[:])
				for c := range d {
					to[k][c] += float64(m.weight * d[c])
				}
			}
		}
	}
}
