package link

import "cmp"

// An order decides which of two connections between the same processes remains. Both sides know the count and the name
// of the dialler. Therefore both sides keep the same connection, even if they complete the two handshakes in different
// order.
type order struct {
	// instance is the random number of the process on the other side. If two connections have different instances, the
	// other process was restarted between them. The connection with the greater ownCount then remains.
	instance uint64
	// ownCount is the count in the hello of this side. It grows with each handshake that this side begins. So a
	// connection with the restarted process has the greater count, even if a handshake with the earlier process ends
	// later.
	ownCount uint64
	// diallerCount is the count in the dialler's hello. A side that dials again after a connection has ended sends a
	// greater count than before.
	diallerCount uint64
	// dialler is the name of the process that dialled. It decides if the dialler's counts are equal, because both sides
	// have dialled.
	dialler string
}

// replaces reports whether a new connection with order o replaces a connection with order previous.
func (o order) replaces(previous order) bool {
	if o.instance != previous.instance {
		return o.ownCount > previous.ownCount
	}
	return cmp.Or(cmp.Compare(o.diallerCount, previous.diallerCount), cmp.Compare(o.dialler, previous.dialler)) > 0
}
