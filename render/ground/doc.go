// Package ground draws what is behind a mesh: a background, and the shadow that the mesh throws on the ground.
//
// The background has one colour or is shaded from top to bottom. The shadow is that of an overcast sky. It is dark
// where the mesh is close to the ground, and wide and faint where the mesh is high above the ground.
//
// The mesh is drawn once from below and once from above. The two pictures of depths give the heights of its lowest and
// its highest point above every point of the ground. The heights between them are cut into a few slices. The part of
// the mesh in each slice casts a shadow. The shadow of a higher slice is more blurred. The shadow depends only on the
// mesh, and its pixels depend only on the mesh, the camera and the picture. So it has the same bits with any number of
// cores and on every processor. Products are rounded before they are added.
package ground
