package scenes

// A Finish says how a surface mirrors its surroundings and how much light passes through it. It is the
// metallic-roughness model of glTF 2.0 (specification, appendix B) with its extensions for specular colours, clear
// coats and transmission. All textures use the same texture coordinates as the base colour, and hold linear numbers,
// not sRGB.
type Finish struct {
	Metallic, Roughness float32  // 0 to 1; multiplied by the texture Surface
	Surface             *Texture // green: roughness, blue: metallic; nil: none

	// Specular is the share, 0 to 1, of light at perpendicular incidence that a non-metallic surface mirrors, for red,
	// green and blue. It is 0.04 for plastic and glass.
	Specular [3]float32

	Normals         *Texture // normal map in tangent space, by glTF's rules; nil: none
	NormalScale     float32  // factor of the x and y of Normals
	Occlusion       *Texture // red: the visible part of the sky; nil: none
	OcclusionAmount float32  // strength of Occlusion, 0 to 1

	Coat, CoatRoughness float32 // strength of the clear coat, and its roughness, 0 to 1

	// Transmission says how much of the light that is not mirrored passes through the surface: a share from 0 to 1,
	// which is multiplied by the red channel of the texture Through. The base colour tints this light.
	Transmission float32
	Through      *Texture
}

// PlasticSpecular is the share of light that plastic and glass mirror, see Finish.Specular. It follows from their
// refractive index of 1.5.
const PlasticSpecular = 0.04
