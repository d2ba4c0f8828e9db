package link

import "cmp"

// An order determines which of two connections between the same processes remains. Both sides know the same order of
// each connection, so they choose the same connection, even if they complete the two handshakes in different order.
type order struct {
	// start is the number of the process on the other side. If it differs, the other side has started anew since one of
	// the two connections, and own decides.
	start uint64
	// own is the count in the hello of this side. It grows with each handshake that this side begins, so the connection
	// of the newer process has the greater one, even if a handshake of its predecessor ends later.
	own uint64
	// count is the count in the dialler's hello. A side that dials again after a connection has ended sends a greater
	// count than the count of that connection.
	count uint64
	// dialler is the name of the process that dialled. It decides if both sides have dialled with the same count.
	dialler string
}

// replaces reports whether a new connection with order o replaces a connection with order previous.
func (o order) replaces(previous order) bool {
	if o.start != previous.start {
		return o.own > previous.own
	}
	return cmp.Or(cmp.Compare(o.count, previous.count), cmp.Compare(o.dialler, previous.dialler)) > 0
}
