package partition_test

import (
	"fmt"
	"math"

	"lockstep/lb/partition"
)

// Points on a spiral are divided among six processing elements. Towards the centre the points are denser and cost
// more. After they have moved, a new division takes over the old numbers of its parts, so that few points change
// their part.
func Example() {
	const n, parts = 4000, 6
	spiral := func(turn float64) partition.Points {
		p := partition.Points{At: [][]float64{make([]float64, n), make([]float64, n)}, Weight: make([]float64, n)}
		for i := range n {
			r := float64(i+1) / n
			sin, cos := math.Sincos(25*r + turn)
			p.At[0][i], p.At[1][i], p.Weight[i] = r*cos, r*sin, 2-r
		}
		return p
	}
	before, err := partition.RCB(spiral(0), parts, partition.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	moved := spiral(2)
	after, err := partition.RCB(moved, parts, partition.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the heaviest of %d parts has %.3f times the mean\n", parts, partition.Imbalance(before.Owner, moved.Weight, parts))
	fmt.Println("a new division would move", partition.Moved(before.Owner, after.Owner, nil, parts).Points, "points")
	after.Renumber(partition.Stay(before.Owner, after.Owner, nil, parts))
	fmt.Println("with the old numbers", partition.Moved(before.Owner, after.Owner, nil, parts).Points)
	fmt.Println("a point at the centre belongs to part", after.Locate(0, 0, 0, 0))
	// Output:
	// the heaviest of 6 parts has 1.001 times the mean
	// a new division would move 3300 points
	// with the old numbers 1415
	// a point at the centre belongs to part 4
}

// The particles fly straight, most of them to the right, and the higher ones are faster. All methods divide the
// particles evenly at first, and Quality measures how even the division is after some time. The cuts of Flow move
// with the particles.
func ExampleFlow() {
	const n, parts, horizon = 3000, 6, 0.5
	at := func(time float64) [][]float64 {
		c := [][]float64{make([]float64, n), make([]float64, n)}
		for i := range n {
			x := float64(i*619%n) / n // about as good as a random number
			y := float64(i%50) / 50
			c[0][i], c[1][i] = x+float64(time*(0.2+y)), y
		}
		return c
	}
	now, later := at(0), at(horizon)
	p := partition.Points{At: now, Velocity: [][]float64{make([]float64, n), make([]float64, n)}}
	for i := range n {
		p.Velocity[0][i] = 0.2 + now[1][i]
	}
	for _, m := range partition.Methods[:5] {
		d, err := m.Method(p, parts, partition.Options{Horizon: horizon})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-5s imbalance %.2f now, %.2f later\n", m.Name,
			d.Quality(now, nil, 0, 0).Imbalance, d.Quality(later, nil, 0, horizon).Imbalance)
	}

	// Output:
	// rcb   imbalance 1.02 now, 1.90 later
	// rib   imbalance 1.00 now, 2.76 later
	// hsfc  imbalance 1.00 now, 2.42 later
	// norcb imbalance 1.08 now, 1.08 later
	// flow  imbalance 1.08 now, 1.08 later
}
