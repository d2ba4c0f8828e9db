package overlay

// keep is random work stealing that survives crashes. When a donor gives work to a receiver, the work becomes a job of
// the receiver. The donor keeps a copy of the parcel until it gets the result.
//
// If a receiver crashes, its donor does the work again. If a donor crashes, its receivers drop the jobs that it gave
// them, because the donor's own donor does that work again. So every result reaches the holder of the first job exactly
// once, whichever other peers crash. The run ends when the first job is done. If the holder itself crashes, all peers
// end with Failed.
//
// The idea is from Satin (Wrzesinska and others, "Fault-tolerant scheduling of fine-grained tasks in grid
// environments", IJHPCA 20(1), 2006), but the results of dropped jobs are not reused. A peer that is reported as
// crashed must have crashed. Messages from it that arrive later are ignored.
type keep struct {
	pool      Accountable
	askedPeer int32 // the peer that was asked for work and has not answered, or -1
	dead      map[int32]bool
	current   *job                // the job whose work is in the pool, or nil
	pending   []piece             // pieces to be done once the pool is empty
	copies    map[int64]lentPiece // by number of the copy: pieces that were given away and have no result yet
	last      int64               // number of the latest copy
}

// job is work that a donor gave to this peer.
type job struct {
	donor  int32 // number of the donor, or -1 for the first job
	number int64 // number by which the donor knows the job
	open   int   // number of the job's entries in copies and pending
	result []byte
	orphan bool
}

// piece is a part of a job that waits to be done.
type piece struct {
	job    *job
	parcel []byte
}

// lentPiece is a piece that another peer works on.
type lentPiece struct {
	piece
	to int32
}

func newKeep(p *Peer, pool Accountable) *keep {
	k := &keep{pool: pool, askedPeer: -1, dead: make(map[int32]bool), copies: make(map[int64]lentPiece)}
	if p.id == p.holder {
		k.current = &job{donor: -1}
	}
	return k
}

// onIdle finishes the current job and then looks for another.
func (k *keep) onIdle(p *Peer) {
	if j := k.current; j != nil {
		k.current = nil
		k.credit(j, k.pool.Result())
		k.finish(p, j)
	}
	for len(k.pending) > 0 && !p.hasWork() {
		next := k.pending[0]
		k.pending = k.pending[1:]
		if !next.job.orphan {
			next.job.open--
			k.current = next.job
			k.pool.Merge(next.parcel)
		}
	}
	if p.hasWork() || p.done || k.askedPeer >= 0 || len(k.dead) >= p.Peers()-1 {
		return
	}
	for k.askedPeer < 0 || k.dead[k.askedPeer] {
		k.askedPeer = p.random.other(p.Peers(), p.id)
	}
	p.send(Message{To: k.askedPeer, Kind: Ask})
}

// credit adds result to j.result. Only a pool can add results, so it uses this peer's pool. The pool's own result is
// kept meanwhile and restored.
func (k *keep) credit(j *job, result []byte) {
	working := k.pool.Result()
	if j.result != nil {
		k.pool.Credit(j.result)
	}
	k.pool.Credit(result)
	j.result = k.pool.Result()
	k.pool.Credit(working)
}

// finish sends the result of j to its donor. If j is the first job, it ends the run. It does nothing while j has open
// copies or pieces.
func (k *keep) finish(p *Peer, j *job) {
	switch {
	case j.open > 0 || j == k.current || j.orphan:
	case j.donor >= 0:
		p.send(Message{To: j.donor, Kind: Result, A: j.number, Parcel: j.result})
	default:
		// All work is done. If the pool still has work, the work came from a peer that has crashed or does not know yet
		// that the run is over. The result of such work does not count.
		k.pool.Split(1)
		k.pool.Result()
		k.pool.Credit(j.result)
		p.stop()
	}
}

func (k *keep) receive(p *Peer, m Message) {
	if m.Kind == Down {
		k.crashed(p, int32(m.A))
		return
	}
	if k.dead[m.From] {
		return
	}
	switch m.Kind {
	case Ask:
		k.handleAsk(p, m.From)
	case Refuse:
		k.askedPeer = -1
	case Work:
		k.askedPeer = -1
		k.pending = append(k.pending, piece{&job{donor: m.From, number: m.A, open: 1}, m.Parcel})
	case Result:
		if c, known := k.copies[m.A]; known {
			delete(k.copies, m.A)
			c.job.open--
			k.credit(c.job, m.Parcel)
			k.finish(p, c.job)
		}
	}
}

// handleAsk gives half of the work to the peer that asked, and keeps a copy.
func (k *keep) handleAsk(p *Peer, from int32) {
	parcel := k.pool.Split(0.5)
	if parcel == nil {
		p.send(Message{To: from, Kind: Refuse})
		return
	}
	k.last++
	k.current.open++
	k.copies[k.last] = lentPiece{piece{k.current, parcel}, from}
	p.give(from, parcel, k.last)
}

// crashed takes back the work that this peer had lent to the crashed peer id. It drops the jobs that came from that
// peer.
func (k *keep) crashed(p *Peer, id int32) {
	k.dead[id] = true
	if id == p.holder {
		p.done, p.failed = true, true
		return
	}
	if k.askedPeer == id {
		k.askedPeer = -1
	}
	if j := k.current; j != nil && j.donor == id {
		j.orphan, k.current = true, nil
		k.pool.Split(1)
		k.pool.Result()
	}
	for _, w := range k.pending {
		w.job.orphan = w.job.orphan || w.job.donor == id
	}
	for n := int64(1); n <= k.last; n++ { // in order of number, which makes runs deterministic
		c, known := k.copies[n]
		if !known {
			continue
		}
		c.job.orphan = c.job.orphan || c.job.donor == id
		if c.to == id || c.job.orphan {
			delete(k.copies, n)
		}
		if c.to == id && !c.job.orphan {
			k.pending = append(k.pending, c.piece)
		}
	}
}

func (k *keep) onWorked(*Peer) {}
