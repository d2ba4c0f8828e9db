package nbody

// The set-ups in this file are a test set. They were written before any partitioner was tuned, and none was tuned on
// them.

// startShear fills the box with layers that slide over each other and turn back at the walls.
func startShear(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), 0}
	return at, [3]float64{s.fullSpeed() * (2*at[1]/s.Side - 1), 0, 0}
}

// startCollision makes two disks that fly at each other, off centre. So they do not meet head-on.
func startCollision(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/5)
	side := float64(1 - 2*(i%2))
	at[0] += side * s.Side / 4
	at[1] += side * s.Side / 16
	return at, [3]float64{-side * s.fullSpeed(), 0, 0}
}

// startVortices makes two disks that spin about their own centres in opposite directions, like cogs. vorticesForce
// holds them together.
func startVortices(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/5)
	side := float64(1 - 2*(i%2))
	u := s.outwardDirection(at)
	at[0] += side * s.Side / 4
	return at, [3]float64{-side * u[1] * s.fullSpeed(), side * u[0] * s.fullSpeed(), 0}
}

// vorticesForce pulls each particle to the centre of the disk on its side of the box.
func vorticesForce(s *Setup, at [3]float64) [3]float64 {
	side := s.Side / 4
	if at[0] < s.Side/2 {
		side = -side
	}
	at[0] -= side
	return scaleVector(s.outwardDirection(at), -s.fullSpeed()*s.fullSpeed()/(s.Side/8))
}

// startSpin makes a disk that turns as a rigid body. centripetalForce keeps every particle on its circle.
func startSpin(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/2.1)
	c := s.centre()
	f := s.fullSpeed() / (s.Side / 2)
	return at, [3]float64{-(at[1] - c[1]) * f, (at[0] - c[0]) * f, 0}
}

// centripetalForce is the force in a rigid body that turns with the full speed (see Setup.fullSpeed) at half of the
// side from the centre.
func centripetalForce(s *Setup, at [3]float64) (a [3]float64) {
	c := s.centre()
	f := s.fullSpeed() / (s.Side / 2)
	for d := range s.Dim {
		a[d] = -(at[d] - c[d]) * f * f
	}
	return a
}

// startGas makes a gas that is denser on one side, with random velocities whose mean is 0.
func startGas(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	x := r.float()
	at = [3]float64{s.Side * x * x, s.Side * r.float(), 0}
	return at, [3]float64{s.fullSpeed() * (2*r.float() - 1), s.fullSpeed() * (2*r.float() - 1), 0}
}

// startBurst makes a small disk off the centre that flies apart and hits the walls.
func startBurst(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/8)
	c := s.centre()
	f := s.fullSpeed() / (s.Side / 8)
	velocity = [3]float64{(at[0] - c[0]) * f, (at[1] - c[1]) * f, 0}
	at[0] += s.Side / 5
	return at, velocity
}

// startStream makes a wide and a narrow stream that pass through each other at right angles.
func startStream(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float(), s.Side * r.float()}
	if i%3 == 0 {
		at[1] = s.Side * (0.4 + 0.2*at[1]/s.Side)
		at[2] = s.Side * (0.4 + 0.2*at[2]/s.Side)
		return at, [3]float64{s.fullSpeed(), 0, 0}
	}
	at[0] = at[0] / 2
	return at, [3]float64{0, s.fullSpeed() / 2, s.fullSpeed() / 4}
}
