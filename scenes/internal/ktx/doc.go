// Package ktx decodes pictures of KTX 2.0 containers whose texels are packed for the processors of graphics: ETC1S behind
// BasisLZ, and UASTC, plain or behind zstd or zlib. Textures of glTF are in these by KHR_texture_basisu.
//
// The largest level of the first image is decoded. Other formats of texels, cubes, volumes and arrays are refused by
// name. Memory is bounded by the pixels, whose number DecodeConfig says before any is decoded, and by the bytes that are
// there.
//
// Sources: KTX File Format Specification 2.0 with its appendix on BasisLZ; Khronos Data Format Specification 1.4 on
// ETC1S, ASTC and UASTC.
package ktx
