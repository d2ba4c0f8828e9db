// Package camera places cameras: so that a mesh fills the picture, for the frames of a turntable, on a flight past a
// mesh, around a point, and along keyframes.
//
// [FitTight] uses the vertices of a mesh. [Fit] uses the corners of its box, so it needs no mesh. [FitTurn] and
// [FitTightTurn] return the cameras of a turntable, all at one distance. [FitAround] returns cameras in any directions.
// [Look] looks from one point to another. [Orbit], [Path] and [Flyby] move the eye from frame to frame. All these
// functions return a [render.Camera]. Its fields may be changed before it is used.
package camera
