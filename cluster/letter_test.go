package cluster

import (
	"testing"

	"github.com/nats-io/nats.go"

	"lockstep/lb/overlay"
)

// silent is a transport to nobody.
type silent struct{}

func (silent) Send(overlay.Message) {}

// FuzzLetter lets a peer of a round take what a hostile node may send it: it may end its part,
// which the next round mends, but it must not end the process, or hold frames that there are not.
func FuzzLetter(f *testing.F) {
	const frames, peers = 20, 5
	for kind := overlay.Kind(0); kind <= overlay.Down; kind++ {
		m := overlay.Message{From: 1, To: 2, Kind: kind, A: 1, B: 2}
		f.Add(m.Append(nil), m.Append([]byte(nil)))
		m.Parcel = []byte{3, 0, 0, 0}
		m.From = 4
		f.Add(m.Append(nil), []byte{})
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		plan := handPlan{Round: 7, Peers: make([]string, peers)}
		job := Job{ID: "job", Frames: frames, Via: &Via{Degree: 2}}
		net, err := plan.overlay(&job)
		if err != nil {
			t.Fatal(err)
		}
		for id := range int32(peers) {
			h := &hand{node: &node{}, job: job, plan: plan, id: id, net: net}
			h.peer = net.Peer(int(id), &h.pool, silent{})
			h.peer.Start()
			for _, body := range [][]byte{first, second} {
				h.letter(&nats.Msg{Subject: peerSubject(job.ID, plan.Round, id), Data: body})
			}
			for _, k := range h.pool.frames {
				if k < 0 || k >= frames {
					t.Errorf("frame %d", k)
				}
			}
		}
	})
}
