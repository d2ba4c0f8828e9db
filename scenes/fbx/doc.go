// Package fbx reads FBX (.fbx), binary and ASCII, of versions 6100 to 7700. It reads:
//
//   - models with all parts of their transforms, and instances of geometries
//   - polygons, normals, colours and texture coordinates
//   - the diffuse and emissive colours, opacity and textures of materials
//
// Pictures may be in the file or beside it. Skins are drawn in the pose of their joints, and meshes with blend shapes
// in their base shape. Animations, cameras, lights, curves and surfaces of patches are not drawn. The up axis and the
// unit are those of the file; the defaults are +y and centimetres.
//
// A lenient read leaves out everything that refers to a missing object, with a warning. The reader never allocates more
// memory for a count than the bytes of the file can fill. Unpacked data is limited to a fixed multiple of the file.
package fbx
