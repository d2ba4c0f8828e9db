// Package threeds reads 3DS (.3ds), the format of 3D Studio for DOS. It reads:
//
//   - meshes, and their instances as the nodes of the keyframer place them at the first key
//   - texture coordinates
//   - the colours, textures, transparency and emission of materials
//
// Cameras, lights, smoothing groups and animations are not drawn. The up axis is +z; the format has no unit.
//
// A lenient read leaves out everything that refers to a missing object, with a warning. The reader does not allocate
// memory by counts in the file: lists have as many entries as the file contains.
package threeds
