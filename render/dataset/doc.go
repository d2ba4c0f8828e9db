// Package dataset describes pictures of a mesh for programs that learn from pictures: where the camera is, which
// object each pixel shows and which part of the object is hidden, in the layouts of BOP (the benchmark of poses of
// objects) and of COCO (objects in pictures). It makes the text files; its callers draw and write the pictures.
//
// A set has one scene with views of objects. Objects are numbered from 1, and views and pixels from 0. The mesh does
// not move. Its coordinates are also those of the world and of every object, so the pose of an object is that of the
// world relative to the camera. Lengths are in units of the mesh.
package dataset
