// Package camera places cameras: so that a mesh fills the picture, for the frames of a turntable, on a flight past
// a mesh, around a point, and along keyframes.
//
// [FitTight] goes by the vertices of a mesh, and [Fit] by the corners of its box, so that it needs no mesh. The same with
// Turn in its name gives the cameras of a turntable, all at one distance, and [FitAround] those of any directions. [Look]
// sees from one point to another, and [Orbit], [Path] and [Flyby] move the eye from frame to frame. What they return is
// a [render.Camera], whose fields may be changed before it is used.
package camera
