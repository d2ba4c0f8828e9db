package nbody

import (
	"math"
	"time"
)

// A Force is the Lennard-Jones force between two particles at a distance r:
//
//	V(r) = 4 Epsilon ((Sigma/r)^12 - (Sigma/r)^6)
//
// with two changes that keep the conservation of energy. A multiple of r^2 is added, which makes force and potential
// end smoothly at Cutoff. Below Core the force falls linearly to 0 at r = 0, as in the papers' program, because
// particles start at random positions and may be arbitrarily close.
type Force struct {
	Sigma, Epsilon float64
	Cutoff         float64
	Core           float64
}

// forceRatio returns the force divided by the distance. square is the square of the distance. It omits the term
// -forceRatio(Cutoff*Cutoff), with which the force is 0 at Cutoff.
func (f *Force) forceRatio(square float64) float64 {
	square = max(square, float64(f.Core*f.Core))
	s := f.Sigma * f.Sigma / square
	s3 := float64(s*s) * s
	return 24 * f.Epsilon * (2*float64(s3*s3) - s3) / square
}

// potential returns the energy of a pair within the cut-off. square is the square of the distance.
func (f *Force) potential(square float64) float64 {
	end := f.Cutoff * f.Cutoff
	outer := max(square, float64(f.Core*f.Core))
	v := f.lennardJones(outer) - f.lennardJones(end) + f.forceRatio(end)/2*(outer-end)
	return v + (f.forceRatio(square)-f.forceRatio(end))/2*(outer-square)
}

// lennardJones returns the Lennard-Jones potential. square is the square of the distance.
func (f *Force) lennardJones(square float64) float64 {
	s := f.Sigma * f.Sigma / square
	s3 := float64(s*s) * s
	return 4 * f.Epsilon * (float64(s3*s3) - s3)
}

// A System is a set of particles of mass 1. At[d][i] is coordinate d of particle i, and the other slices have the same
// indices. Slices for coordinates that the set-up does not have are nil.
type System struct {
	Dim          int
	At, Velocity [3][]float64
	Acceleration [3][]float64
	// Neighbours holds for each particle the number of particles within the cut-off, which is the number of
	// interactions in its force.
	Neighbours []int32

	setup *Setup
	grid  cellGrid
}

// Len returns the number of particles.
func (s *System) Len() int { return len(s.At[0]) }

// allocate makes columns for n particles.
func (s *System) allocate(n int) {
	for d := range s.Dim {
		s.At[d], s.Velocity[d], s.Acceleration[d] = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	s.Neighbours = make([]int32, n)
}

// Clone returns a copy. Later steps of the original do not change it. The copy has no grid, see Sort.
func (s *System) Clone() *System {
	c := &System{Dim: s.Dim, setup: s.setup, Neighbours: append([]int32(nil), s.Neighbours...)}
	for d := range s.Dim {
		c.At[d] = append([]float64(nil), s.At[d]...)
		c.Velocity[d] = append([]float64(nil), s.Velocity[d]...)
		c.Acceleration[d] = append([]float64(nil), s.Acceleration[d]...)
	}
	return c
}

// Drift does the first half of a step of velocity-Verlet integration. It advances the velocities by half a step and the
// positions by a whole step, and reflects particles at the walls.
func (s *System) Drift() {
	dt := s.setup.Step
	for d := range s.Dim {
		x, v, a := s.At[d], s.Velocity[d], s.Acceleration[d]
		for i := range x {
			v[i] += float64(a[i] * (dt / 2))
			x[i] += float64(v[i] * dt)
		}
	}
	s.setup.reflectAtWalls(s)
}

// Kick does the second half of a step. It advances the velocities by half a step, with the accelerations at the new
// positions.
func (s *System) Kick() {
	dt := s.setup.Step
	for d := range s.Dim {
		v, a := s.Velocity[d], s.Acceleration[d]
		for i := range v {
			v[i] += float64(a[i] * (dt / 2))
		}
	}
}

// Sort prepares Interact for the present positions.
func (s *System) Sort() { s.grid.build(s.At, s.Dim, s.setup.Force.Cutoff) }

// Prepare computes the accelerations at the present positions. If count is true, it also counts the neighbours. The
// argument loop has the same meaning as for Interact.
func (s *System) Prepare(loop func(n int, body func(int)), count bool) {
	if s.setup.Force.Epsilon != 0 || count {
		s.Sort()
		s.Interact(loop)
		return
	}
	for i := range s.Len() {
		s.accelerate(int32(i), [3]float64{})
	}
}

// accelerate sets the acceleration of particle i. It is the sum of `a`, which the particle's neighbours cause, and of
// the acceleration by the external force.
func (s *System) accelerate(i int32, a [3]float64) {
	var x [3]float64
	for d := range s.Dim {
		x[d] = s.At[d][i]
	}
	pull := s.setup.externalAcceleration(x)
	for d := range s.Dim {
		s.Acceleration[d][i] = a[d] + pull[d]
	}
}

// cellsPerTask is the number of cells in one piece of parallel work.
const cellsPerTask = 64

// Interact computes the accelerations and the numbers of neighbours of all particles. Call Sort first. loop calls
// body(0) to body(n-1), possibly in parallel.
func (s *System) Interact(loop func(n int, body func(int))) {
	n := len(s.grid.start) - 1
	loop((n+cellsPerTask-1)/cellsPerTask, func(i int) {
		var runs []span
		for k := i * cellsPerTask; k < min(n, (i+1)*cellsPerTask); k++ {
			from, to := s.grid.start[k], s.grid.start[k+1]
			if from == to {
				continue
			}
			runs = s.grid.neighbourSpans(runs[:0], k)
			for p := from; p < to; p++ {
				s.interact(int(p), runs)
			}
		}
	})
}

// timeOwners computes the accelerations again, owner by owner. It adds the seconds that each owner took to busy. The
// accelerations stay the same.
func (s *System) timeOwners(busy []float64, owner []int32) {
	start := make([]int, len(busy)+1)
	for _, own := range owner {
		start[own+1]++
	}
	for k := range busy {
		start[k+1] += start[k]
	}
	mine, next := make([]int32, len(owner)), append([]int(nil), start...)
	for p, i := range s.grid.order {
		mine[next[owner[i]]] = int32(p)
		next[owner[i]]++
	}
	var runs []span
	for k := range busy {
		began := time.Now()
		last := int32(-1)
		for _, p := range mine[start[k]:start[k+1]] {
			if cell := s.grid.cell[s.grid.order[p]]; cell != last {
				runs, last = s.grid.neighbourSpans(runs[:0], int(cell)), cell
			}
			s.interact(int(p), runs)
		}
		busy[k] += time.Since(began).Seconds()
	}
}

// interactions returns the sum of the numbers of neighbours of all particles.
func (s *System) interactions() (total int64) {
	for _, n := range s.Neighbours {
		total += int64(n)
	}
	return total
}

// interact computes the acceleration and counts the neighbours of particle s.grid.order[p]. runs holds the particles
// that may be its neighbours.
func (s *System) interact(p int, runs []span) {
	var count int
	var a [3]float64
	if s.Dim == 2 {
		a, count = s.interact2(p, runs)
	} else {
		a, count = s.interact3(p, runs)
	}
	i := s.grid.order[p]
	s.Neighbours[i] = int32(count - 1) // the particle is not its own neighbour
	s.accelerate(i, a)
}

// interact2 returns the sum of the forces in the plane, and the number of particles within the cut-off. The number
// includes the particle itself, whose force on itself is 0.
func (s *System) interact2(p int, runs []span) (a [3]float64, count int) {
	f := &s.setup.Force
	end := f.Cutoff * f.Cutoff
	last := f.forceRatio(end)
	x, y := s.grid.at[0][p], s.grid.at[1][p]
	free := f.Epsilon == 0
	for _, run := range runs {
		xs := s.grid.at[0][run.from:run.to]
		ys := s.grid.at[1][run.from:run.to]
		ys = ys[:len(xs)]
		for j, xj := range xs {
			dx, dy := x-xj, y-ys[j]
			square := float64(dx*dx) + float64(dy*dy)
			if square >= end {
				continue
			}
			count++
			if !free {
				g := f.forceRatio(square) - last
				a[0] += float64(g * dx)
				a[1] += float64(g * dy)
			}
		}
	}
	return a, count
}

// interact3 is like interact2, in space.
func (s *System) interact3(p int, runs []span) (a [3]float64, count int) {
	f := &s.setup.Force
	end := f.Cutoff * f.Cutoff
	last := f.forceRatio(end)
	x, y, z := s.grid.at[0][p], s.grid.at[1][p], s.grid.at[2][p]
	free := f.Epsilon == 0
	for _, run := range runs {
		xs := s.grid.at[0][run.from:run.to]
		ys := s.grid.at[1][run.from:run.to]
		zs := s.grid.at[2][run.from:run.to]
		ys, zs = ys[:len(xs)], zs[:len(xs)]
		for j, xj := range xs {
			dx, dy, dz := x-xj, y-ys[j], z-zs[j]
			square := float64(float64(dx*dx)+float64(dy*dy)) + float64(dz*dz)
			if square >= end {
				continue
			}
			count++
			if !free {
				g := f.forceRatio(square) - last
				a[0] += float64(g * dx)
				a[1] += float64(g * dy)
				a[2] += float64(g * dz)
			}
		}
	}
	return a, count
}

// Energy returns the kinetic energy of the particles and the potential energy of the pairs, without the energy of
// external forces. Call Sort for the present positions first.
func (s *System) Energy() (kinetic, potential float64) {
	for d := range s.Dim {
		for _, v := range s.Velocity[d] {
			kinetic += float64(v * v)
		}
	}
	f := &s.setup.Force
	var runs []span
	for k := range len(s.grid.start) - 1 {
		runs = s.grid.neighbourSpans(runs[:0], k)
		for p := s.grid.start[k]; p < s.grid.start[k+1]; p++ {
			for _, run := range runs {
				for q := max(run.from, p+1); q < run.to; q++ {
					square := 0.0
					for d := range s.Dim {
						x := s.grid.at[d][p] - s.grid.at[d][q]
						square += float64(x * x)
					}
					if square < f.Cutoff*f.Cutoff {
						potential += f.potential(square)
					}
				}
			}
		}
	}
	return kinetic / 2, potential
}

// length returns the length of a vector.
func length(a [3]float64) float64 {
	return math.Sqrt(float64(a[0]*a[0]) + float64(a[1]*a[1]) + float64(a[2]*a[2]))
}
