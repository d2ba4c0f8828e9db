package nbody

import "math"

// The set-ups in this file are a test set. They were written after the methods had been tuned on the papers' set-ups
// and compared on those in heldout.go. No method is tuned on them.
//
//	passing   two clouds of different size pass each other at an angle, one through the edge of the other
//	layer     a layer of shear between two streams of different density, rolled up by a cross wind
//	vortex    a disk off the centre of the box, densest inside, that turns at one speed at any radius
//	bar       a narrow bar that turns as a rigid body
//	shell3d   a thin shell off the centre that bursts, its pieces at different speeds
//	sheet3d   a thin sheet that falls obliquely, and slides along the floor
//	helix3d   a cylinder that turns about its axis and flies along it

// startPassing puts a third of the particles into the small cloud.
func startPassing(s *Setup, r *random, i int) (at, velocity [3]float64) {
	v := s.fullSpeed()
	if i%3 == 0 {
		at = s.randomInBall(r, 0.1*s.Side)
		at[0] -= 0.25 * s.Side
		at[1] -= 0.2 * s.Side
		return at, [3]float64{v, 0.5 * v, 0}
	}
	at = s.randomInBall(r, 0.2*s.Side)
	at[0] += 0.2 * s.Side
	return at, [3]float64{-0.6 * v, 0.1 * v, 0}
}

// startLayer puts three in four particles into the lower stream.
func startLayer(s *Setup, r *random, i int) (at, velocity [3]float64) {
	at = [3]float64{s.Side * r.float(), s.Side * r.float() / 2, 0}
	if i%4 == 0 {
		at[1] += s.Side / 2
	}
	u := math.Tanh((at[1] - s.Side/2) / (s.Side / 20))
	wave := 0.25 * math.Sin(4*math.Pi*at[0]/s.Side) * (1 - u*u)
	return at, [3]float64{s.fullSpeed() * u, s.fullSpeed() * wave, 0}
}

// vortexCentre is the centre of the vortex, as fractions of the side.
var vortexCentre = [3]float64{0.35, 0.6, 0}

// directionTo returns the unit vector from a position to a centre, and their distance. centre is a fraction of the
// side.
func (s *Setup) directionTo(at, centre [3]float64) ([3]float64, float64) {
	var u [3]float64
	for d := range s.Dim {
		u[d] = centre[d]*s.Side - at[d]
	}
	r := length(u)
	if r == 0 {
		return u, 0
	}
	return scaleVector(u, 1/r), r
}

// startVortex chooses the radius from a uniform distribution, which makes the density proportional to 1/radius.
func startVortex(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	rho, phi := 0.3*s.Side*r.float(), 2*math.Pi*r.float()
	u := [3]float64{math.Cos(phi), math.Sin(phi), 0}
	for d := range 2 {
		at[d] = vortexCentre[d]*s.Side + float64(rho*u[d])
	}
	return at, [3]float64{-u[1] * s.fullSpeed(), u[0] * s.fullSpeed(), 0}
}

// vortexForce keeps the particles of the vortex on their circles. For particles nearer to the centre than a fiftieth of
// the side, the force is too weak to do so.
func vortexForce(s *Setup, at [3]float64) [3]float64 {
	u, r := s.directionTo(at, vortexCentre)
	return scaleVector(u, s.fullSpeed()*s.fullSpeed()/max(r, s.Side/50))
}

// startBar makes a bar whose tips move at nearly the full speed, see Setup.fullSpeed.
func startBar(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	x, y := 0.9*s.Side*(r.float()-0.5), 0.1*s.Side*(r.float()-0.5)
	// Start at 30 degrees to the x axis.
	cos, sin := math.Cos(math.Pi/6), math.Sin(math.Pi/6)
	c, f := s.centre(), s.fullSpeed()/(s.Side/2)
	dx, dy := float64(x*cos)-float64(y*sin), float64(x*sin)+float64(y*cos)
	return [3]float64{c[0] + dx, c[1] + dy, 0}, [3]float64{-dy * f, dx * f, 0}
}

// startShell chooses a random speed from half of the full speed to the full speed, see Setup.fullSpeed.
func startShell(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	u := r.direction()
	rho := s.Side * (0.1 + 0.02*r.float())
	v := s.fullSpeed() * (0.5 + 0.5*r.float())
	for d, off := range [3]float64{0.4, 0.55, 0.45} {
		at[d] = off*s.Side + float64(rho*u[d])
	}
	return at, scaleVector(u, v)
}

// startSheet makes an upright sheet across its direction of flight, with small random velocities added.
func startSheet(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	along, up, thick := r.float()-0.5, r.float(), r.float()-0.5
	at = [3]float64{0.3 + 0.03*thick - 0.1*along, 0.5 + 0.4*up, 0.4 + 0.6*along + 0.02*thick}
	heat := r.direction()
	velocity = [3]float64{0.5 + 0.05*heat[0], -0.2 + 0.05*heat[1], 0.1 + 0.05*heat[2]}
	return scaleVector(at, s.Side), scaleVector(velocity, s.fullSpeed())
}

// obliqueForce makes the sheet fall by the height of the box in about the length of the run.
func obliqueForce(s *Setup, _ [3]float64) [3]float64 {
	run := s.Step * float64(s.Iterations)
	return scaleVector([3]float64{0.2, -1.2, 0.1}, s.Side/(run*run))
}

// startHelix makes a cylinder that fills a third of the box's height, turns as a rigid body and flies along its axis.
func startHelix(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	rho, phi := 0.25*s.Side*math.Sqrt(r.float()), 2*math.Pi*r.float()
	u := [3]float64{math.Cos(phi), math.Sin(phi), 0}
	for d := range 2 {
		at[d] = s.Side/2 + float64(rho*u[d])
	}
	at[2] = s.Side * (0.1 + 0.3*r.float())
	spin := s.fullSpeed() / (0.25 * s.Side) * rho
	return at, [3]float64{-u[1] * spin, u[0] * spin, s.fullSpeed() / 2}
}

// helixForce keeps the particles of the helix at their distance from the axis.
func helixForce(s *Setup, at [3]float64) [3]float64 {
	f := s.fullSpeed() / (0.25 * s.Side)
	return [3]float64{-(at[0] - s.Side/2) * f * f, -(at[1] - s.Side/2) * f * f, 0}
}
