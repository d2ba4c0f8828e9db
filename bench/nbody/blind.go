package nbody

import "math"

// The set-ups in this file are a test set for the partitioner "auto". They were written before "auto" used the length
// of the run.
//
//	wave    a gas that streams to two lines, passes through itself there, and drifts along the lines
//	swing   a cloud at rest off the centre of a trap that pulls harder up than across
//	jets    a column that flows towards its middle from above and below and leaves to both sides
//	swarm   nine clumps of different size that fly in all directions through each other
//	plume3d a jet that rises from the floor, spreads, and falls back
//	tide3d  a ball whose orbit about a heavy centre pulls it apart

// startWave makes particles move straight. They are densest after two fifths of the run.
func startWave(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), 0}
	return at, [3]float64{0.5 * s.fullSpeed() * math.Sin(4*math.Pi*at[0]/s.Side), 0.2 * s.fullSpeed(), 0}
}

// startSwing places a cloud off the centre of the trap. In the x direction the cloud makes a quarter of an oscillation
// during the run.
func startSwing(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, 0.2*s.Side)
	at[0] += 0.25 * s.Side
	at[1] -= 0.15 * s.Side
	heat := 2 * math.Pi * r.float()
	return at, [3]float64{0.1 * s.fullSpeed() * math.Cos(heat), 0.1 * s.fullSpeed() * math.Sin(heat), 0}
}

// trapForce pulls to the centre in proportion to the distance, 2.9 times as hard in y as in x.
func trapForce(s *Setup, at [3]float64) [3]float64 {
	c, f := s.centre(), s.fullSpeed()/(s.Side/4)
	return [3]float64{-(at[0] - c[0]) * f * f, -(at[1] - c[1]) * f * f * 2.9, 0}
}

// startJets gives each particle a velocity proportional to (x, -y), with coordinates relative to the centre. This is
// the flow near a stagnation point.
func startJets(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	c, f := s.centre(), s.fullSpeed()/(s.Side/2)
	dx, dy := 0.3*s.Side*(r.float()-0.5), s.Side*(r.float()-0.5)
	return [3]float64{c[0] + dx, c[1] + dy, 0}, [3]float64{dx * f, -dy * f, 0}
}

// stagnationForce keeps the particles of the jets on the streamlines of the flow.
func stagnationForce(s *Setup, at [3]float64) [3]float64 {
	c, f := s.centre(), s.fullSpeed()/(s.Side/2)
	return [3]float64{(at[0] - c[0]) * f * f, (at[1] - c[1]) * f * f, 0}
}

// startSwarm makes nine clumps. Clump k, from 0 to 8, gets (k+1)/45 of the particles, and its own direction.
func startSwarm(s *Setup, r *random, i int) (at, velocity [3]float64) {
	k, share := 0, i%45
	for share > k {
		k++
		share -= k
	}
	at = s.randomInBall(r, 0.04*s.Side*math.Sqrt(float64(k+1)/3))
	at[0] += s.Side * (0.3*float64(k%3) - 0.3)
	at[1] += s.Side * (0.3*float64(k/3) - 0.3)
	turn := 2.4 * float64(k) // about the golden angle, which makes the clumps fly in different directions
	v := s.fullSpeed() * (0.3 + 0.08*float64(k))
	return at, [3]float64{v * math.Cos(turn), v * math.Sin(turn), 0}
}

// startPlume makes a jet from the floor. Its fastest particles reach two thirds of the box's height.
func startPlume(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	rho, phi := 0.1*s.Side*math.Sqrt(r.float()), 2*math.Pi*r.float()
	x, y := rho*math.Cos(phi), rho*math.Sin(phi)
	at = [3]float64{0.35*s.Side + x, s.Side/2 + y, 0.15 * s.Side * r.float()}
	up := s.fullSpeed() * (0.6 + 0.4*r.float())
	return at, [3]float64{0.2*up + 2*x, 2 * y, up}
}

// plumeForce is gravity. A particle that rises at full speed turns back after half of the run.
func plumeForce(s *Setup, _ [3]float64) [3]float64 {
	return [3]float64{0, 0, -2 * s.fullSpeed() / (s.Step * float64(s.Iterations))}
}

// tideDistance is the distance of the ball from the heavy centre at the start, as a fraction of the side.
const tideDistance = 0.25

// startTide makes a ball. All particles have the velocity that would keep the ball's centre on a circle.
func startTide(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, 0.12*s.Side)
	at[0] += tideDistance * s.Side
	return at, [3]float64{0, 0.7 * s.fullSpeed(), 0.2 * s.fullSpeed()}
}

// tideForce pulls with the inverse square of the distance. Within a tenth of the side it does not increase any more.
func tideForce(s *Setup, at [3]float64) [3]float64 {
	r0, v := tideDistance*s.Side, 0.7*s.fullSpeed()
	u, r := s.directionTo(at, [3]float64{0.5, 0.5, 0.5})
	r = max(r, s.Side/10)
	return scaleVector(u, v*v*r0/(r*r))
}
