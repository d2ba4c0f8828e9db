package nbody

import "math"

// The set-ups in this file are a test set for the partitioner "auto". They were written before the last change of
// "auto", and no method was tuned on them.
//
//	funnel    a wide band that flies along itself and narrows to a line
//	lanes     three parallel streams at different speeds, the middle one against the others
//	comet     a dense ball that flies straight through a thin gas at rest
//	arm       a square that turns as a rigid body about a point outside it
//	firework  a ball that bursts while it falls
//	hail3d    a slab that falls straight on to the floor
//	tornado3d a cylinder whose layers turn at different speeds

// startFunnel makes all particles reach the line in the middle at the same time, after the end of the run.
func startFunnel(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = [3]float64{0.4 * s.Side * r.float(), s.Side * (0.2 + 0.6*r.float()), 0}
	run := s.Step * float64(s.Iterations)
	return at, [3]float64{s.fullSpeed(), 0.9 * (s.Side/2 - at[1]) / run, 0}
}

// startLanes makes three streams. The middle one is the narrowest and the densest.
func startLanes(s *Setup, r *random, i int) (at, velocity [3]float64) {
	low, wide, speed := 0.0, 0.4, 0.4
	switch i % 3 {
	case 1:
		low, wide, speed = 0.4, 0.15, -1
	case 2:
		low, wide, speed = 0.55, 0.45, 0.7
	}
	return [3]float64{s.Side * r.float(), s.Side * (low + wide*r.float()), 0}, [3]float64{speed * s.fullSpeed(), 0, 0}
}

// startComet puts a quarter of the particles into the ball and the others into the gas.
func startComet(s *Setup, r *random, i int) (at, velocity [3]float64) {
	if i%4 == 0 {
		at = s.randomInBall(r, 0.07*s.Side)
		at[0] -= 0.35 * s.Side
		at[1] -= 0.1 * s.Side
		return at, [3]float64{s.fullSpeed(), 0.3 * s.fullSpeed(), 0}
	}
	heat := 2 * math.Pi * r.float()
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), 0}
	return at, [3]float64{0.05 * s.fullSpeed() * math.Cos(heat), 0.05 * s.fullSpeed() * math.Sin(heat), 0}
}

// startArm makes a square whose centre moves at half of the full speed, see Setup.fullSpeed.
func startArm(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	c, f := s.centre(), s.fullSpeed()/(s.Side/2)
	dx, dy := s.Side*(0.12+0.26*r.float()), s.Side*0.26*(r.float()-0.5)
	return [3]float64{c[0] + dx, c[1] + dy, 0}, [3]float64{-dy * f, dx * f, 0}
}

// startFirework makes a ball that bursts. Its parts have up to half of the full speed (see Setup.fullSpeed), in
// addition to the speed of the fall.
func startFirework(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/15)
	c := s.centre()
	f := 0.5 * s.fullSpeed() / (s.Side / 15)
	velocity = [3]float64{(at[0] - c[0]) * f, (at[1]-c[1])*f - 0.3*s.fullSpeed(), 0}
	at[1] += 0.25 * s.Side
	return at, velocity
}

// startHail makes a slab that fills the width of the box and is denser on one side.
func startHail(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	x := r.float()
	at = [3]float64{s.Side * x * math.Sqrt(x), s.Side * r.float(), s.Side * (0.6 + 0.3*r.float())}
	heat := r.direction()
	return at, [3]float64{0.03 * s.fullSpeed() * heat[0], 0.03 * s.fullSpeed() * heat[1], -0.5 * s.fullSpeed()}
}

// startTornado makes a cylinder. Its surface turns at the full speed (see Setup.fullSpeed) at the top, and at a third
// of the full speed at the floor.
func startTornado(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	rho, phi := 0.3*s.Side*math.Sqrt(r.float()), 2*math.Pi*r.float()
	u := [3]float64{math.Cos(phi), math.Sin(phi), 0}
	for d := range 2 {
		at[d] = s.Side/2 + float64(rho*u[d])
	}
	at[2] = s.Side * r.float()
	spin := s.tornadoSpin(at[2]) * rho
	return at, [3]float64{-u[1] * spin, u[0] * spin, 0}
}

// tornadoSpin returns the angular speed at height z.
func (s *Setup) tornadoSpin(z float64) float64 {
	return s.fullSpeed() / (0.3 * s.Side) * (1 + 2*z/s.Side) / 3
}

// tornadoForce keeps the particles of the tornado on their circles.
func tornadoForce(s *Setup, at [3]float64) [3]float64 {
	f := s.tornadoSpin(at[2])
	return [3]float64{-(at[0] - s.Side/2) * f * f, -(at[1] - s.Side/2) * f * f, 0}
}
