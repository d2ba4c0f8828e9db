package nbody

import "math"

// A Setup is an experiment: where the particles start, what moves them, and how long the run is.
type Setup struct {
	Name      string
	Dim       int
	Particles int
	PEs       int
	// Iterations is the number of iterations of the run. Step is the duration of each.
	Iterations int
	Step       float64
	// Side is the length of the box's sides. Its corner is the origin.
	Side  float64
	Force Force
	Costs Costs
	// Group is "" for the papers' set-ups, and "noted" for a set-up from their authors' notes. For set-ups of a test
	// set it is the name of the set and of its file: "heldout", "fresh", "unseen" or "blind".
	Group string

	// start returns the position and the velocity of particle i at the start.
	start func(s *Setup, r *random, i int) (at, velocity [3]float64)
	// external returns the acceleration at a position by an external force. nil means that there is none.
	external func(s *Setup, at [3]float64) [3]float64
	// spherical makes a sphere reflect the particles, and not the box's walls.
	spherical bool
}

// Parameters of the set-ups in the plane. The papers (see the package's documentation) give the size of the domain and
// the number of particles. Speed, radius and duration are those of the reference model (TestReferenceModel): a particle
// that moves straight crosses 8e-5 of the width of the domain per iteration. Epsilon is small compared with the kinetic
// energy of 3.2e-3, so particles hardly deflect each other until they are dense.
const (
	planeStep   = 1e-3
	planeSpeed  = 0.08
	planeCutoff = 0.01
	// noteStep is the time step with which particles move as far in 5000 iterations as in a note in the authors'
	// repository. The note has 50,000 iterations of 1e-6 at a speed of 1. Source: github.com/xetqL/NoRCB,
	// norcb-paper-exp-size.
	noteStep = 0.05 / planeSpeed / 5000
	// planePull is an acceleration that changes the speed by 1/1500 of planeSpeed in every iteration.
	planePull = planeSpeed / 1500 / planeStep
)

func planeForce() Force {
	const sigma = planeCutoff / 2.5
	return Force{Sigma: sigma, Epsilon: 1e-7, Cutoff: planeCutoff, Core: 0.9 * sigma}
}

// Parameters of the set-ups in space. The papers give box, speed and time steps. Their value of sigma, 0.7, cannot be
// right: in a box of side 3.15 nearly every particle would always interact with all others. The cut-off is chosen to
// fit the paper's description of its experiments: a particle has some 600 neighbours in the densest state and less than
// one in the thinnest.
const (
	spaceSide   = 3.15
	spaceSpeed  = 3.0
	spaceCutoff = 0.04
)

func spaceForce() Force {
	const sigma = spaceCutoff / 2.5
	return Force{Sigma: sigma, Epsilon: 1e-4, Cutoff: spaceCutoff, Core: 0.9 * sigma}
}

// Setups returns all set-ups, those of the papers first.
func Setups() []Setup {
	plane := Setup{Dim: 2, Particles: 40_000, PEs: 128, Iterations: 5000, Step: planeStep, Side: 1, Force: planeForce(), Costs: PlainCosts}
	space := Setup{Dim: 3, Particles: 40_000, PEs: 64, Iterations: 4000, Side: spaceSide, Force: spaceForce(), Costs: PlainCosts}
	with := Setup.variant
	held := func(s *Setup) { s.Group = "heldout" }
	fresh := func(s *Setup) { s.Group = "fresh" }
	unseen := func(s *Setup) { s.Group = "unseen" }
	blind := func(s *Setup) { s.Group = "blind" }
	return []Setup{
		with(plane, "toy", startContraction, func(s *Setup) { s.Particles, s.PEs = 10_000, 64 }),
		with(plane, "contraction", startContraction, nil),
		with(plane, "gravity", startGravity, func(s *Setup) { s.external = downwardForce }),
		with(plane, "rotation", startRotation, func(s *Setup) { s.Particles, s.external = 10_000, inwardForce }),
		with(space, "contraction3d", startContraction, func(s *Setup) { s.Step, s.Iterations = 2e-5, 20_000 }),
		with(space, "expansion3d", startExpansion, func(s *Setup) { s.Step, s.spherical, s.Iterations = 8.4e-5, true, 5000 }),
		with(space, "expansion-contraction3d", startExpansion, func(s *Setup) {
			s.Step, s.spherical, s.external, s.Iterations = 1.2e-4, true, gravitationForce, 6000
		}),
		with(plane, "contraction-short", startContraction, func(s *Setup) { s.Group, s.Step = "noted", noteStep }),
		// The test sets follow, in the order in which they were written.
		with(plane, "shear", startShear, held),
		with(plane, "collision", startCollision, held),
		with(plane, "vortices", startVortices, func(s *Setup) { held(s); s.external = vorticesForce }),
		with(plane, "spin", startSpin, func(s *Setup) { held(s); s.external = centripetalForce }),
		with(plane, "gas", startGas, held),
		with(plane, "burst", startBurst, held),
		with(space, "rotation3d", startRotation, func(s *Setup) {
			held(s)
			s.Step, s.external = 3e-5, inwardForce
		}),
		with(space, "stream3d", startStream, func(s *Setup) { held(s); s.Step = 1e-4 }),
		with(plane, "passing", startPassing, fresh),
		with(plane, "layer", startLayer, fresh),
		with(plane, "vortex", startVortex, func(s *Setup) { fresh(s); s.external = vortexForce }),
		with(plane, "bar", startBar, func(s *Setup) { fresh(s); s.external = centripetalForce }),
		with(space, "shell3d", startShell, func(s *Setup) { fresh(s); s.Step = 8.4e-5 }),
		with(space, "sheet3d", startSheet, func(s *Setup) { fresh(s); s.Step, s.external = 1e-4, obliqueForce }),
		with(space, "helix3d", startHelix, func(s *Setup) { fresh(s); s.Step, s.external = 1e-4, helixForce }),
		with(plane, "funnel", startFunnel, unseen),
		with(plane, "lanes", startLanes, unseen),
		with(plane, "comet", startComet, unseen),
		with(plane, "arm", startArm, func(s *Setup) { unseen(s); s.external = centripetalForce }),
		with(plane, "firework", startFirework, unseen),
		with(space, "hail3d", startHail, func(s *Setup) { unseen(s); s.Step = 1e-4 }),
		with(space, "tornado3d", startTornado, func(s *Setup) { unseen(s); s.Step, s.external = 5e-5, tornadoForce }),
		with(plane, "wave", startWave, blind),
		with(plane, "swing", startSwing, func(s *Setup) { blind(s); s.external = trapForce }),
		with(plane, "jets", startJets, func(s *Setup) { blind(s); s.external = stagnationForce }),
		with(plane, "swarm", startSwarm, blind),
		with(space, "plume3d", startPlume, func(s *Setup) { blind(s); s.Step, s.external = 1e-4, plumeForce }),
		with(space, "tide3d", startTide, func(s *Setup) { blind(s); s.Step, s.external = 1e-4, tideForce }),
	}
}

// variant returns a copy of the set-up with another name and start. If change is not nil, it is applied to the copy.
func (s Setup) variant(name string, start func(*Setup, *random, int) (at, velocity [3]float64), change func(*Setup)) Setup {
	s.Name, s.start = name, start
	if change != nil {
		change(&s)
	}
	return s
}

// fullSpeed returns the speed with which the papers' particles start. Comments call it the full speed.
func (s *Setup) fullSpeed() float64 {
	if s.Dim == 2 {
		return planeSpeed
	}
	return spaceSpeed
}

// centre returns the centre of the box.
func (s *Setup) centre() (c [3]float64) {
	for d := range s.Dim {
		c[d] = s.Side / 2
	}
	return c
}

// externalAcceleration returns the acceleration by the external force at a position. It is 0 if there is no such force.
func (s *Setup) externalAcceleration(at [3]float64) [3]float64 {
	if s.external == nil {
		return [3]float64{}
	}
	return s.external(s, at)
}

// New returns the particles at the start, with their accelerations. The same seed gives the same particles.
func (s *Setup) New(seed uint64) *System {
	y := &System{Dim: s.Dim, setup: s}
	y.allocate(s.Particles)
	r := &random{seed}
	for i := range s.Particles {
		at, velocity := s.start(s, r, i)
		for d := range s.Dim {
			y.At[d][i], y.Velocity[d][i] = at[d], velocity[d]
		}
	}
	s.reflectAtWalls(y)
	y.Sort()
	y.Interact(runInOrder)
	return y
}

// runInOrder calls body(0) to body(n-1), one after the other.
func runInOrder(n int, body func(int)) {
	for i := range n {
		body(i)
	}
}

// reflectAtWalls reflects particles that have left the domain. A particle that has gone farther than the width of the
// domain is put on the opposite wall.
func (s *Setup) reflectAtWalls(y *System) {
	if s.spherical {
		s.reflectAtSphere(y)
		return
	}
	for d := range y.Dim {
		x, v := y.At[d], y.Velocity[d]
		for i := range x {
			switch {
			case x[i] < 0:
				x[i], v[i] = min(-x[i], s.Side), -v[i]
			case x[i] > s.Side:
				x[i], v[i] = max(2*s.Side-x[i], 0), -v[i]
			}
		}
	}
}

// reflectAtSphere reflects particles at the sphere that touches the box's walls from inside.
func (s *Setup) reflectAtSphere(y *System) {
	c, radius := s.centre(), s.Side/2
	for i := range y.Len() {
		var x, v [3]float64
		for d := range y.Dim {
			x[d], v[d] = y.At[d][i]-c[d], y.Velocity[d][i]
		}
		r := length(x)
		if r <= radius {
			continue
		}
		out := float64(x[0]*v[0]) + float64(x[1]*v[1]) + float64(x[2]*v[2])
		for d := range y.Dim {
			n := x[d] / r
			y.At[d][i] = c[d] + float64(n*max(2*radius-r, 0))
			if out > 0 {
				y.Velocity[d][i] = v[d] - 2*float64(n*(out/r))
			}
		}
	}
}

// randomInBall returns a random position with uniform density in a ball about the centre. In the plane the ball is a
// disk, and randomInBall draws the same random numbers as the reference model.
func (s *Setup) randomInBall(r *random, radius float64) [3]float64 {
	c := s.centre()
	if s.Dim == 2 {
		rho, phi := radius*math.Sqrt(r.float()), 2*math.Pi*r.float()
		return [3]float64{c[0] + float64(rho*math.Cos(phi)), c[1] + float64(rho*math.Sin(phi)), 0}
	}
	dir := r.direction()
	rho := radius * math.Cbrt(r.float())
	for d := range c {
		c[d] += float64(rho * dir[d])
	}
	return c
}

// outwardDirection returns the unit vector from the centre to a position. At the centre it is 0.
func (s *Setup) outwardDirection(at [3]float64) (u [3]float64) {
	c := s.centre()
	for d := range s.Dim {
		u[d] = at[d] - c[d]
	}
	if r := length(u); r > 0 {
		for d := range u {
			u[d] /= r
		}
	}
	return u
}

// scaleVector returns the vector f*a.
func scaleVector(a [3]float64, f float64) [3]float64 {
	return [3]float64{a[0] * f, a[1] * f, a[2] * f}
}

// startContraction is the papers' contraction: a ball that fills the box, whose particles all fly to the centre.
func startContraction(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/2)
	return at, scaleVector(s.outwardDirection(at), -s.fullSpeed())
}

// startExpansion is the papers' expansion: a ball with a radius of a twentieth of the side, which flies apart.
func startExpansion(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/20)
	return at, scaleVector(s.outwardDirection(at), s.fullSpeed())
}

// startGravity is the papers' gravity: particles fill the upper half of the box, with random velocities.
func startGravity(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	for d := range s.Dim {
		at[d] = s.Side * r.float()
	}
	at[1] = s.Side/2 + at[1]/2
	for d := range s.Dim {
		velocity[d] = s.fullSpeed() * (2*r.float() - 1)
	}
	return at, velocity
}

// downwardForce is the gravity of the papers' set-up gravity.
func downwardForce(s *Setup, _ [3]float64) [3]float64 { return [3]float64{0, -planePull, 0} }

// startRotation is the papers' rotation with contraction. All particles have the same speed, at right angles to the
// radius. inwardForce pulls them to the centre. In space they rotate about the z axis.
func startRotation(s *Setup, r *random, _ int) (at, velocity [3]float64) {
	at = s.randomInBall(r, s.Side/2)
	u := s.outwardDirection(at)
	v := [3]float64{-u[1], u[0], 0}
	if l := length(v); l > 0 {
		v = scaleVector(v, s.fullSpeed()/l)
	}
	return at, v
}

// inwardForce pulls to the centre with constant strength. In every iteration it changes the speed by 1/1500 of the full
// speed, see Setup.fullSpeed.
func inwardForce(s *Setup, at [3]float64) [3]float64 {
	return scaleVector(s.outwardDirection(at), -s.fullSpeed()/1500/s.Step)
}

// gravitationForce is the force in the papers' expansion with contraction. It pulls to the centre with constant
// strength. The papers do not give the strength. Here it makes the particles turn back shortly before the wall, after
// half of the run.
func gravitationForce(s *Setup, at [3]float64) [3]float64 {
	reach := s.Side/2 - s.Side/20
	return scaleVector(s.outwardDirection(at), -s.fullSpeed()*s.fullSpeed()/2/(0.9*reach))
}
