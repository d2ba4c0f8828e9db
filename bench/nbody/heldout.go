package nbody

// The set-ups in this file were written before any partitioner was tuned.

// shearing fills the box with layers that slide over each other and turn back at the walls.
func shearing(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), 0}
	return at, [3]float64{s.speed() * (2*at[1]/s.Side - 1), 0, 0}
}

// colliding throws two disks at each other, off centre, so that they do not meet head-on.
func colliding(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = s.inBall(r, s.Side/5)
	side := float64(1 - 2*(i%2))
	at[0] += side * s.Side / 4
	at[1] += side * s.Side / 16
	return at, [3]float64{-side * s.speed(), 0, 0}
}

// vortices spins two disks about their own centres, in opposite directions like cogs; towardsVortex holds them
// together.
func vortices(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = s.inBall(r, s.Side/5)
	side := float64(1 - 2*(i%2))
	u := s.outward(at)
	at[0] += side * s.Side / 4
	return at, [3]float64{-side * u[1] * s.speed(), side * u[0] * s.speed(), 0}
}

func towardsVortex(s *Setup, at [3]float64) [3]float64 {
	side := s.Side / 4
	if at[0] < s.Side/2 {
		side = -side
	}
	at[0] -= side
	return scaled(s.outward(at), -s.speed()*s.speed()/(s.Side/8))
}

// spinning is a rigid disk: the speed grows with the distance from the centre, and centripetal keeps every particle on
// its circle.
func spinning(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.inBall(r, s.Side/2.1)
	c := s.centre()
	f := s.speed() / (s.Side / 2)
	return at, [3]float64{-(at[1] - c[1]) * f, (at[0] - c[0]) * f, 0}
}

func centripetal(s *Setup, at [3]float64) (a [3]float64) {
	c := s.centre()
	f := s.speed() / (s.Side / 2)
	for d := range s.Dim {
		a[d] = -(at[d] - c[d]) * f * f
	}
	return a
}

// brownian is a gas without a mean direction that is denser on one side.
func brownian(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	x := r.float()
	at = [3]float64{s.Side * x * x, s.Side * r.float(), 0}
	return at, [3]float64{s.speed() * (2*r.float() - 1), s.speed() * (2*r.float() - 1), 0}
}

// bursting is a small disk off the centre that flies apart and hits the walls.
func bursting(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.inBall(r, s.Side/8)
	c := s.centre()
	f := s.speed() / (s.Side / 8)
	velocity = [3]float64{(at[0] - c[0]) * f, (at[1] - c[1]) * f, 0}
	at[0] += s.Side / 5
	return at, velocity
}

// streaming sends a wide and a narrow stream through each other at right angles.
func streaming(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), s.Side * r.float()}
	if i%3 == 0 {
		at[1] = s.Side * (0.4 + 0.2*at[1]/s.Side)
		at[2] = s.Side * (0.4 + 0.2*at[2]/s.Side)
		return at, [3]float64{s.speed(), 0, 0}
	}
	at[0] = at[0] / 2
	return at, [3]float64{0, s.speed() / 2, s.speed() / 4}
}
