package split

import (
	"encoding/json"

	"lockstep/cluster/link"
)

// SendJoin sends the message with which a node joins.
func SendJoin(l *link.Links, s Shape) error {
	body, err := json.Marshal(joinMessage{Address: l.Addr().String(), Shape: s})
	if err != nil {
		return err
	}
	return l.Send(RootName, link.Message{Kind: kindJoin, Body: body}, nil)
}
