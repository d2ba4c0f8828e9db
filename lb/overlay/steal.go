package overlay

// stealing is random work stealing. An idle peer asks random peers, one at a time, for half of their work, until one
// gives some. Dinan and others, "Scalable work stealing", SC 2009, found that half is better than a fixed number of
// units.
type stealing struct {
	asking bool
}

func (s *stealing) onIdle(p *Peer) {
	p.reportIdle()
	if s.asking || p.done || p.Peers() == 1 {
		return
	}
	s.asking = true
	p.send(Message{To: p.random.other(p.Peers(), p.id), Kind: Ask})
}

func (s *stealing) receive(p *Peer, m Message) {
	switch m.Kind {
	case Ask:
		if parcel := p.pool.Split(0.5); parcel != nil {
			p.give(m.From, parcel, 0)
		} else {
			p.send(Message{To: m.From, Kind: Refuse})
		}
	case Refuse:
		s.asking = false
	case Work:
		s.asking = false
		p.take(m)
	case Report:
		p.recordReport(p.childIndex(m.From), m.A, m.B)
	}
}

func (s *stealing) onWorked(*Peer) {}
