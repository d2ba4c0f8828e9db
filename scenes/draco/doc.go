// Package draco decodes what Draco compresses: meshes of the format KHR_draco_mesh_compression of glTF and files of their
// own (.drc), see Format.
//
// It follows the specification of the bitstream 2.2 (Google, 2017) by its sections: the header and the metadata (Draco
// Decoder, Metadata Decoder) in decode.go; triangles as lists (Sequential Connectivity Decoder) in sequential.go, and as
// the symbols of a walk over the surface (EdgeBreaker Decoder, Traversal and Traversal Valence) in edgebreaker.go and
// valence.go; seams (Boundary Decoder) in seams.go; the order of values (EdgeBreaker Traversal, Prediction Degree) in
// traverse.go; the attributes (Attributes Decoder, Sequential Attribute Decoders) in attributes.go and deliver.go; symbols
// (Rans Decoding) in rans.go; predictions (Prediction Decoder and those below it) in predict.go, texcoords.go and
// normal.go. Numbers are those of the reference decoder to the last bit.
//
// Bitstreams from 1.1 on are read too, which the reference encoder wrote until 2017; they differ in how numbers are
// written, and in where splits stand. Not read, and named in the error (ErrUnread), are clouds of points in a kd-tree, and
// symbols and predictions that no encoder has written since 2.0.
//
// A buffer may promise any number of triangles in few bytes: symbols that are certain take none. So memory and work are
// asked for before they are taken, see Limits, and work is bounded by the size of the buffer even without: FreeWork and
// WorkPerByte. Nothing is recursive. The decoder holds 75 bytes a triangle, up to 170 where triangles share few vertices,
// 30 more for each group of attributes with seams of its own, and 12 for each number of a vertex.
package draco
