// Package fbx reads FBX (.fbx), binary and ASCII, of versions 6100 to 7700: models with all parts of their transforms,
// instances of geometries, polygons, normals, colours, texture coordinates, and the diffuse and emissive colours,
// opacity and textures of materials, in the file or beside it.
//
// Skins are bent by their joints as these stand; blend shapes show their base. Animations, cameras, lights, curves and surfaces of patches are
// not drawn. The up axis and the unit are those of the file; a file of neither has y up and centimetres.
//
// In a lenient read what refers to something that is not there is left out with a warning. Counts in the file allocate
// nothing beyond what their bytes can hold, unpacked ones beyond a fixed multiple of the file.
package fbx
