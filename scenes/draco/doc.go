// Package draco decodes meshes that Draco has compressed: those of KHR_draco_mesh_compression in glTF, and files of
// their own (.drc), see Format.
//
// It follows the sections of the specification of the bitstream 2.2 (Google, 2017): the header and the metadata (Draco
// Decoder, Metadata Decoder) in decode.go; triangles as lists (Sequential Connectivity Decoder) in sequential.go, and
// as the symbols of a walk over the surface (EdgeBreaker Decoder, Traversal and Traversal Valence) in edgebreaker.go
// and valence.go; seams (Boundary Decoder) in seams.go; the order of values (EdgeBreaker Traversal, Prediction Degree)
// in traverse.go; the attributes (Attributes Decoder, Sequential Attribute Decoders) in attributes.go and deliver.go;
// symbols (Rans Decoding) in rans.go; predictions (Prediction Decoder and the sections below it) in predict.go,
// texcoords.go and normal.go. Clouds of points in kd-trees are not in the specification; kdcloud.go and kdtree.go read
// them as the reference decoder does. The decoded numbers are the same as those of the reference decoder, bit for bit,
// in all files that were compared. No file before 2.0 with a kd-tree was compared.
//
// The package also reads older bitstreams from version 1.1 on, which the reference encoder wrote until 2017. In these,
// numbers are written differently and splits are in another place. One part of the format is not supported: the symbols
// and predictions that no encoder has written since 2.0. The error for a buffer that uses them wraps ErrUnread and
// names them.
//
// A few bytes may promise any number of triangles, because a symbol with a probability of 1 takes no bits. Therefore
// the decoder asks Limits before it allocates memory or does work. Even without Limits, the size of the buffer limits
// the work to FreeWork and WorkPerByte. No function is recursive. The decoder holds 75 bytes per triangle, or up to 170
// if triangles share few vertices. It holds 30 more bytes per triangle for each group of attributes with its own seams,
// and 12 bytes for each number of a vertex.
package draco
