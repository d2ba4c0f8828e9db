package local_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/local"
)

// A queens is a pool of chess boards on whose first rows queens are placed. It is a search whose size is not known in
// advance. A step adds a queen to the next row of one board in every allowed place.
type queens struct {
	n         int
	open      [][]byte // columns of the queens of each board
	solutions int
}

func (q *queens) Empty() bool     { return len(q.open) == 0 }
func (q *queens) Amount() float64 { return float64(len(q.open)) }

// Work goes depth first, so that there are never many open boards.
func (q *queens) Work(steps int) (done int) {
	for ; done < steps && len(q.open) > 0; done++ {
		board := q.open[len(q.open)-1]
		q.open = q.open[:len(q.open)-1]
		if len(board) == q.n {
			q.solutions++
			continue
		}
		for column := range q.n {
			if q.allowed(board, column) {
				q.open = append(q.open, append(append(make([]byte, 0, q.n), board...), byte(column)))
			}
		}
	}
	return done
}

func (q *queens) allowed(board []byte, column int) bool {
	for row, c := range board {
		if d := column - int(c); d == 0 || d == len(board)-row || -d == len(board)-row {
			return false
		}
	}
	return true
}

// Split gives away the oldest boards, which have the fewest queens and so the most work.
func (q *queens) Split(fraction float64) []byte {
	units := int(fraction * float64(len(q.open)))
	if fraction < 1 {
		units = min(units, len(q.open)-1)
	}
	return q.Take(units)
}

func (q *queens) Take(units int) (parcel []byte) {
	for range min(units, len(q.open)) {
		parcel = append(binary.AppendUvarint(parcel, uint64(len(q.open[0]))), q.open[0]...)
		q.open = q.open[1:]
	}
	return parcel
}

func (q *queens) Merge(parcel []byte) {
	for len(parcel) > 0 {
		n, used := binary.Uvarint(parcel)
		parcel = parcel[used:]
		q.open = append(q.open, append(make([]byte, 0, q.n), parcel[:n]...))
		parcel = parcel[n:]
	}
}

// Four peers count the ways to place eight queens on a board. At first one peer has all the work. A peer without work
// asks along a tree with bridges.
func ExampleRun() {
	const peers = 4
	net, err := overlay.New(overlay.Options{Protocol: overlay.BTD, Peers: peers})
	if err != nil {
		fmt.Println(err)
		return
	}
	pools := make([]overlay.Pool, peers)
	for i := range pools {
		pools[i] = &queens{n: 8}
	}
	pools[net.Holder()].(*queens).open = [][]byte{{}} // the empty board
	if _, err := local.Run(context.Background(), net, pools, 50); err != nil {
		fmt.Println(err)
		return
	}
	solutions := 0
	for _, p := range pools {
		solutions += p.(*queens).solutions
	}
	fmt.Println(solutions, "ways")
	// Output: 92 ways
}
