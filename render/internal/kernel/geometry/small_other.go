//go:build !amd64 || purego

package geometry

import "lockstep/scenes/leaves"

// smallArgs holds the places of the vertices of a group.
type smallArgs struct{ places [placesSize]uint16 }

func (a *smallArgs) setView(*View) {}

func (s *Small) coverAll(groups []leaves.Group, covering []uint64) { s.coverEach(groups, covering) }
