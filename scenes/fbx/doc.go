// Package fbx reads FBX (.fbx), binary and ASCII, of versions 6100 to 7700: models with all parts of their transforms,
// instances of geometries, polygons, normals, colours, texture coordinates, and the diffuse and emissive colours,
// opacity and textures of materials. Pictures may be in the file or beside it.
//
// Skins show the pose of their joints; blend shapes show their base. Animations, cameras, lights, curves and surfaces
// of patches are not drawn. The up axis and the unit are those of the file; the defaults are +y and centimetres.
//
// A lenient read leaves out what refers to something missing, with a warning. Counts in the file never cause larger
// allocations than their bytes can hold; unpacked data is limited to a fixed multiple of the file.
package fbx
