// Package ground draws what is behind a mesh: a background, and the shadow that the mesh throws on the ground.
//
// The background has one colour or is shaded from top to bottom. The shadow is that of an overcast sky. It is dark
// where the mesh is close to the ground, and wide and faint where the mesh is high above the ground.
//
// The mesh is drawn once from below and once from above. The depths of the two pictures give the lowest and highest
// point of the mesh above every point of the ground. The heights between the lowest and the highest point are cut
// into a few slices. Each slice casts a shadow, and shadows of higher slices are more blurred.
//
// The shadow depends only on the mesh. The pixels of the shadow depend only on the mesh, the camera and the picture.
// They have the same bits with any number of cores and on every processor. For that, products are rounded before they
// are added.
package ground
