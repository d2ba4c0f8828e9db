package overlay

import (
	"encoding/binary"
	"fmt"
)

// A Kind is the meaning of a message.
type Kind uint8

const (
	// Ask requests work. In the protocol BTD, A is the size of the subtree that asks if the request came over a bridge.
	// Otherwise A is 0.
	Ask Kind = iota
	// Refuse answers Ask: the peer has nothing to give.
	Refuse
	// Work carries a parcel. A says which of the receiver's requests it answers. In a message to a child, B is the
	// number of the child's reports so far.
	Work
	// Report says that the sender and its subtree are idle, and that they have sent A parcels and received B so far. In
	// the tree protocols it also asks the parent for work.
	Report
	// Withdraw cancels a Report, because the sender got work elsewhere.
	Withdraw
	// Probe asks a subtree how many parcels it has sent.
	Probe
	// Tally answers a Probe. A is the number of parcels.
	Tally
	// Heard answers a Report in protocols whose reports do not ask for work.
	Heard
	// Stop ends the run.
	Stop
	// Bound announces a better bound.
	Bound
	// Amount tells a master how many units of work the sender has. A holds the bits of a float64.
	Amount
	// ShareWith orders the receiver to give half of its work to peer A. A master sends it.
	ShareWith
	// Gave answers ShareWith with peer A. B is 1 if the sender gave work to A, and 0 if it had nothing to give.
	Gave
	// Result carries the result of a parcel's work back to the peer that gave the parcel away. A is the number of that
	// peer's copy of the parcel.
	Result
	// Down says that peer A has crashed. The transport sends it.
	Down
)

// A Message goes from one peer to another.
type Message struct {
	From, To int32
	Kind     Kind
	A, B     int64
	// Value is the sender's bound, or 0 if it has none.
	Value  int64
	Parcel []byte
}

// headerBytes is the size of an encoded message without its parcel.
const headerBytes = 4 + 4 + 1 + 8 + 8 + 8

// Size returns the number of bytes that Append writes.
func (m *Message) Size() int { return headerBytes + len(m.Parcel) }

// Append appends the encoded message to b.
func (m *Message) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(m.From))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.To))
	b = append(b, byte(m.Kind))
	for _, v := range [...]int64{m.A, m.B, m.Value} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return append(b, m.Parcel...)
}

// Decode decodes a message that Append has encoded. It returns an error if b is malformed. The parcel is a part of b,
// not a copy.
func Decode(b []byte) (Message, error) {
	if len(b) < headerBytes || Kind(b[8]) > Down {
		return Message{}, fmt.Errorf("no message: %d bytes", len(b))
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[9+8*i:])) }
	m := Message{
		From: int32(binary.LittleEndian.Uint32(b)), To: int32(binary.LittleEndian.Uint32(b[4:])), Kind: Kind(b[8]),
		A: word(0), B: word(1), Value: word(2),
	}
	if len(b) > headerBytes {
		m.Parcel = b[headerBytes:]
	}
	return m, nil
}

// A Transport sends messages to other peers.
type Transport interface {
	Send(m Message)
}
