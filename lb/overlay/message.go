package overlay

import (
	"encoding/binary"
	"fmt"
)

// Kind says what a message means.
type Kind uint8

const (
	// Ask requests work. In BTD, A is above 0 over a bridge: the size of the
	// subtree that asks.
	Ask Kind = iota
	// Refuse answers Ask where the peer asked has nothing to give.
	Refuse
	// Work carries a parcel. A says which of several requests it answers; to a
	// child, B is the number of its reports so far.
	Work
	// Report says that the sender and its subtree are idle, and that they have
	// sent A and received B parcels so far. In the tree protocols it also asks
	// the parent for work.
	Report
	// Withdraw takes a Report back: the sender has got work elsewhere.
	Withdraw
	// Probe asks a subtree how many parcels it has sent.
	Probe
	// Tally answers Probe: A parcels.
	Tally
	// Heard answers a Report where reports do not ask for work.
	Heard
	// Stop ends the run.
	Stop
	// Bound tells a better bound.
	Bound
	// Amount tells a master the units of work at hand, as the bits of a float64
	// in A.
	Amount
	// ShareWith is a master's order to give half to peer A.
	ShareWith
	// Gave tells a master that its order was carried out for peer A (B is 1) or
	// could not be (B is 0).
	Gave
	// Result carries what became of parcel A of the receiver.
	Result
	// Down says that peer A has crashed. Transports send it.
	Down
)

// A Message goes from one peer to another.
type Message struct {
	From, To int32
	Kind     Kind
	A, B     int64
	// Value is the sender's bound if it has one, else 0.
	Value  int64
	Parcel []byte
}

// header is the bytes of a message without its parcel.
const header = 4 + 4 + 1 + 8 + 8 + 8

// Size is the length of the message in bytes as Append writes it.
func (m *Message) Size() int { return header + len(m.Parcel) }

// Append appends the message as bytes.
func (m *Message) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(m.From))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.To))
	b = append(b, byte(m.Kind))
	for _, v := range [...]int64{m.A, m.B, m.Value} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return append(b, m.Parcel...)
}

// Decode returns the message that Append wrote. The parcel is part of b.
func Decode(b []byte) (Message, error) {
	if len(b) < header || Kind(b[8]) > Down {
		return Message{}, fmt.Errorf("no message: %d bytes", len(b))
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[9+8*i:])) }
	m := Message{
		From: int32(binary.LittleEndian.Uint32(b)), To: int32(binary.LittleEndian.Uint32(b[4:])), Kind: Kind(b[8]),
		A: word(0), B: word(1), Value: word(2),
	}
	if len(b) > header {
		m.Parcel = b[header:]
	}
	return m, nil
}

// A Transport takes messages to other peers.
type Transport interface {
	Send(m Message)
}
