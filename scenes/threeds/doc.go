// Package threeds reads 3DS (.3ds), the format of 3D Studio for DOS: meshes, their instances by the nodes of the keyframer
// as they stand at the first key, texture coordinates, and the colours, textures, transparency and own light of
// materials.
//
// Cameras, lights, smoothing groups and movements are not drawn. The up axis is +z; the format knows no unit.
//
// In a lenient read what refers to something that is not there is left out with a warning. Counts in the file allocate
// nothing: lists have the entries that are there.
package threeds
