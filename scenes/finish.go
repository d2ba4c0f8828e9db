package scenes

// A Finish says how a surface mirrors what is around it, and what it lets through: the metallic-roughness model of glTF
// 2.0 (specification, appendix B) and of its extensions for specular colours, clear coats and transmission. Textures lie
// where that of the base colour does, and hold numbers, not sRGB.
type Finish struct {
	Metallic, Roughness float32  // 0 to 1: factors of the texture
	Surface             *Texture // green: roughness, blue: metallic; nil: none

	// Specular is the part of light from straight before it that a surface of no metal mirrors, red, green and blue, 0
	// to 1: 0.04 for plastic and glass.
	Specular [3]float32

	Normals         *Texture // directions in the axes of the texture, by glTF's rules; nil: none
	NormalScale     float32  // of their parts along the surface
	Occlusion       *Texture // red: the part of the sky that is seen; nil: none
	OcclusionAmount float32  // how much of it counts, 0 to 1

	Coat, CoatRoughness float32 // how much of a clear coat there is, and its roughness, 0 to 1

	// Transmission is the part of the light that is not mirrored which passes through, coloured by the base colour, 0 to
	// 1: a factor of the texture's red.
	Transmission float32
	Through      *Texture
}

// PlasticSpecular is what plastic and glass mirror, see Finish.Specular: that of a refractive index of 1.5.
const PlasticSpecular = 0.04
