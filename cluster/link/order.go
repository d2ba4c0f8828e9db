package link

import "cmp"

// An order says which of two connections between the same processes remains. Both sides know the same numbers, so that
// they choose the same connection, in whatever order each side completes their handshakes.
type order struct {
	// start is the start of the other side. If it differs, the other side is a new process, whose connection remains.
	start uint64
	// count is that of the dialler's hello. A side that dials again because a connection has ended sends a greater
	// count than that connection's.
	count uint64
	// dialler is the name of the process that dialled. It decides if both sides have dialled with the same count.
	dialler string
}

// replaces reports whether a connection remains rather than one with another order, whose handshake ended before.
func (o order) replaces(previous order) bool {
	if o.start != previous.start {
		return true
	}
	return cmp.Or(cmp.Compare(o.count, previous.count), cmp.Compare(o.dialler, previous.dialler)) > 0
}
