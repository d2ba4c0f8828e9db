// Package ground draws what is behind a mesh: a background, and the shadow that the mesh throws on the ground.
//
// The background has one colour or is shaded from top to bottom. The shadow is that of an overcast sky: dark where the
// mesh is close to the ground, wide and faint where it is high above the ground.
//
// The mesh is drawn once from below and once from above. The two pictures of depths give the heights of its lowest and
// its highest point above every point of the ground. The heights between them are cut into a few slices. The part of
// the mesh in each slice throws a shadow, which is more blurred the higher the slice is. The shadow is a function of
// the mesh, and how a picture shows it depends on the mesh, the camera and the picture alone: it has the same bits with
// any number of cores and on every processor. Products are rounded before they are added.
package ground
