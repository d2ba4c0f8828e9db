// Package ground draws what is behind a mesh: a background, and the shadow that the mesh throws on the ground.
//
// The background is plain or shaded from top to bottom. The shadow is that under an overcast sky: dark where the mesh is
// close to the ground, wide and faint where it is high above.
//
// The mesh is drawn once from below and once from above. The two depths are its lowest and its highest point over every
// point of the ground. The heights between them are cut into a few slices, and the part in each slice throws a shadow,
// the more blurred the higher the slice is. The shadow is a function of the mesh, and what a picture shows of it is one
// of the camera and the picture: the same bits on any number of cores and every processor. Products are rounded before
// they are added.
package ground
