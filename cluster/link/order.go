package link

import "cmp"

// An order decides which of two connections between the same processes stays. Both sides know the count and the name of
// the dialler. So they keep the same connection, even if they complete the two handshakes in different order.
type order struct {
	// instance is the random number of the other process. If two connections have different instances, the other
	// process was restarted between them. The connection with the larger ownCount then stays.
	instance uint64
	// ownCount is the count in this side's hello. It grows with each handshake that this side begins. So the connection
	// with the restarted process has the larger count, even if an earlier handshake ends later.
	ownCount uint64
	// diallerCount is the count in the dialler's hello. A side that dials again sends a larger count.
	diallerCount uint64
	// dialler is the name of the process that dialled. It decides if both sides have dialled and their counts are
	// equal.
	dialler string
}

// replaces reports whether a new connection with order o replaces a connection with order previous.
func (o order) replaces(previous order) bool {
	if o.instance != previous.instance {
		return o.ownCount > previous.ownCount
	}
	return cmp.Or(cmp.Compare(o.diallerCount, previous.diallerCount), cmp.Compare(o.dialler, previous.dialler)) > 0
}
