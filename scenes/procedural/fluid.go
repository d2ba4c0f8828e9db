package procedural

import "lockstep/scenes/procedural/fluid"

func buildVortices(p *params) shape { return fluid.Vortices(fluidTriangles(p), p.seed()) }

func buildShear(p *params) shape { return fluid.Shear(fluidTriangles(p), p.seed()) }

func fluidTriangles(p *params) int {
	return p.count("triangles", fluid.DefaultTriangles, fluid.MinTriangles, fluid.MaxTriangles)
}
