// Package ktx decodes pictures in KTX 2.0 containers with textures in a universal format: ETC1S with BasisLZ, and
// UASTC, uncompressed or compressed by zstd or zlib. glTF uses these formats through the extension KHR_texture_basisu.
//
// It decodes the largest level of the first image. Other texel formats, cube maps, volumes and arrays give an error
// that names them. Memory is limited by the size of the file and by the number of pixels, which DecodeConfig returns
// before anything is decoded.
//
// Sources: KTX File Format Specification 2.0 with its appendix on BasisLZ; Khronos Data Format Specification 1.4 on
// ETC1S, ASTC and UASTC.
package ktx
