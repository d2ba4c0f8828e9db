// Package camera places cameras so that a mesh fills the picture, and for the frames of turntables and other films.
//
// [FitTight] uses the vertices of a mesh. [Fit] uses the corners of its box, so it needs no mesh. [FitTurn] and
// [FitTightTurn] return the cameras of a turntable, all at one distance. [FitAround] returns cameras in any
// directions. [Look] looks from one point to another. [Orbit] moves the eye around a point, [Path] along keyframes,
// and [Flyby] past a mesh. All these functions return one [render.Camera] or several. The fields of a camera may be
// changed before the camera is used.
package camera
