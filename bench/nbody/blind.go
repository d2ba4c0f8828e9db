package nbody

import "math"

// The set-ups in this file were written before `auto` used the length of the run, so that they can judge this change.
//
//	wave    a gas that streams to two lines, passes through itself there, and drifts along the lines
//	swing   a cloud at rest off the centre of a trap that pulls harder up than across
//	jets    a column that flows towards its middle from above and below and leaves to both sides
//	swarm   nine clumps of different size that fly in all directions through each other
//	plume3d a jet that rises from the floor, spreads, and falls back
//	tide3d  a ball whose orbit about a heavy centre pulls it apart

// wave moves particles straight, so that they are densest after two fifths of the run.
func wave(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), 0}
	return at, [3]float64{0.5 * s.speed() * math.Sin(4*math.Pi*at[0]/s.Side), 0.2 * s.speed(), 0}
}

// swing starts a cloud off the centre of the trap. Across, the trap takes it through a quarter of a swing.
func swing(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.inBall(r, 0.2*s.Side)
	at[0] += 0.25 * s.Side
	at[1] -= 0.15 * s.Side
	heat := 2 * math.Pi * r.float()
	return at, [3]float64{0.1 * s.speed() * math.Cos(heat), 0.1 * s.speed() * math.Sin(heat), 0}
}

func trap(s *Setup, at [3]float64) [3]float64 {
	c, f := s.centre(), s.speed()/(s.Side/4)
	return [3]float64{-(at[0] - c[0]) * f * f, -(at[1] - c[1]) * f * f * 2.9, 0}
}

// jets gives each particle the velocity (x, -y) relative to the centre; the force keeps particles on the lines of this
// flow.
func jets(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	c, f := s.centre(), s.speed()/(s.Side/2)
	dx, dy := 0.3*s.Side*(r.float()-0.5), s.Side*(r.float()-0.5)
	return [3]float64{c[0] + dx, c[1] + dy, 0}, [3]float64{dx * f, -dy * f, 0}
}

func stagnation(s *Setup, at [3]float64) [3]float64 {
	c, f := s.centre(), s.speed()/(s.Side/2)
	return [3]float64{(at[0] - c[0]) * f * f, (at[1] - c[1]) * f * f, 0}
}

// swarm makes nine clumps. Clump k, counted from 0, gets k+1 of 45 shares of the particles, and its own direction.
func swarm(s *Setup, r *random, i int) (at, velocity [3]float64) {
	k, share := 0, i%45
	for share > k {
		k++
		share -= k
	}
	at = s.inBall(r, 0.04*s.Side*math.Sqrt(float64(k+1)/3))
	at[0] += s.Side * (0.3*float64(k%3) - 0.3)
	at[1] += s.Side * (0.3*float64(k/3) - 0.3)
	turn := 2.4 * float64(k) // the golden angle, so that no two clumps fly in the same direction
	v := s.speed() * (0.3 + 0.08*float64(k))
	return at, [3]float64{v * math.Cos(turn), v * math.Sin(turn), 0}
}

// plume returns the start of a particle of a jet. The fastest of these particles reach two thirds of the height.
func plume(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	rho, phi := 0.1*s.Side*math.Sqrt(r.float()), 2*math.Pi*r.float()
	x, y := rho*math.Cos(phi), rho*math.Sin(phi)
	at = [3]float64{0.35*s.Side + x, s.Side/2 + y, 0.15 * s.Side * r.float()}
	up := s.speed() * (0.6 + 0.4*r.float())
	return at, [3]float64{0.2*up + 2*x, 2 * y, up}
}

// plumeForce makes a particle that rises at the full speed turn after half of the run.
func plumeForce(s *Setup, _ [3]float64) [3]float64 {
	return [3]float64{0, 0, -2 * s.speed() / (s.Step * float64(s.Iterations))}
}

// tideAt is the distance of the ball's centre from the heavy centre, as a fraction of the side.
const tideAt = 0.25

// tide starts all particles with the velocity that keeps the ball's centre on a circle.
func tide(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.inBall(r, 0.12*s.Side)
	at[0] += tideAt * s.Side
	return at, [3]float64{0, 0.7 * s.speed(), 0.2 * s.speed()}
}

// tideForce pulls with the inverse square of the distance. Within a tenth of the side the pull does not increase any more.
func tideForce(s *Setup, at [3]float64) [3]float64 {
	r0, v := tideAt*s.Side, 0.7*s.speed()
	u, r := s.towards(at, [3]float64{0.5, 0.5, 0.5})
	r = max(r, s.Side/10)
	return scaled(u, v*v*r0/(r*r))
}
