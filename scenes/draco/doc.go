// Package draco decodes meshes that Draco has compressed: those of KHR_draco_mesh_compression in glTF, and files of
// their own (.drc), see Format.
//
// It follows the sections of the specification of the bitstream 2.2 (Google, 2017): the header and the metadata (Draco
// Decoder, Metadata Decoder) in decode.go; triangles as lists (Sequential Connectivity Decoder) in sequential.go, and
// as the symbols of a walk over the surface (EdgeBreaker Decoder, Traversal and Traversal Valence) in edgebreaker.go
// and valence.go; seams (Boundary Decoder) in seams.go; the order of values (EdgeBreaker Traversal, Prediction Degree)
// in traverse.go; the attributes (Attributes Decoder, Sequential Attribute Decoders) in attributes.go and deliver.go;
// symbols (Rans Decoding) in rans.go; predictions (Prediction Decoder and the sections below it) in predict.go,
// texcoords.go and normal.go. The numbers are the same as those of the reference decoder, bit for bit.
//
// The package also reads bitstreams from version 1.1 on, which the reference encoder wrote until 2017. In these,
// numbers are written differently and splits are in another place. Two things are not read: clouds of points in a
// kd-tree, and symbols and predictions that no encoder has written since 2.0. The error, which wraps ErrUnread, names
// them.
//
// A few bytes may promise any number of triangles, because a symbol that is certain takes no bits. So the decoder asks
// before it takes memory or does work, see Limits. Even without Limits, the size of the buffer limits the work:
// FreeWork and WorkPerByte. No function is recursive. The decoder holds 75 bytes per triangle, up to 170 if triangles
// share few vertices, 30 more for each group of attributes with its own seams, and 12 for each number of a vertex.
package draco
