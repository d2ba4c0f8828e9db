package scenes

// A Finish describes how a surface reflects its surroundings and how much light passes through it. It is the
// metallic-roughness model of glTF 2.0 (specification, appendix B) with its extensions for specular colours, clear
// coats, sheen, transmission and volumes. The pixels of a texture are linear numbers, except where a comment below
// calls them colours. Colours are sRGB.
type Finish struct {
	Metallic, Roughness float32  // 0 to 1; each is multiplied by a channel of the texture Surface
	Surface             *Texture // green: roughness, blue: metallic; nil: none

	// Specular is the fraction of light that a non-metallic surface reflects at perpendicular incidence: three
	// fractions, 0 to 1, for red, green and blue. It is 0.04 for plastic and glass. It is multiplied by the colours
	// of the texture SpecularTint and by the alpha of the texture SpecularPart.
	Specular                   [3]float32
	SpecularTint, SpecularPart *Texture
	// GrazingLoss is the fraction of light, 0 to 1, that a non-metallic surface does not reflect at grazing angles. The
	// reflected fraction, 1 - GrazingLoss, is multiplied by the alpha of SpecularPart.
	GrazingLoss float32

	Normals         *Texture // normal map in tangent space, by glTF's rules; nil: none
	NormalScale     float32  // factor of the x and y components of Normals
	Occlusion       *Texture // red: fraction of the sky that a point sees; nil: none
	OcclusionAmount float32  // strength of Occlusion, 0 to 1

	// Coat is the strength of the clear coat, 0 to 1. It is multiplied by the red channel of the texture CoatPart.
	// CoatRoughness is the roughness of the coat, 0 to 1. It is multiplied by the green channel of the texture
	// CoatRough. CoatNormals is the normal map of the coat. Without CoatNormals the coat is smooth, even if Normals
	// is not nil.
	Coat, CoatRoughness float32
	CoatPart, CoatRough *Texture
	CoatNormals         *Texture
	CoatNormalScale     float32

	// Sheen is the colour, in linear light, of the light that fibres on the surface scatter. It is multiplied by the
	// colours of SheenTint. SheenRoughness is how widely the fibres scatter light. It is multiplied by the alpha of
	// SheenRough.
	Sheen                 [3]float32
	SheenRoughness        float32
	SheenTint, SheenRough *Texture

	// Transmission is how much light passes through the surface: a fraction, 0 to 1, of the light that is not
	// reflected. It is multiplied by the red channel of the texture Through. The base colour tints this light.
	Transmission float32
	Through      *Texture
	// Thickness is the distance that transmitted light travels inside the body, in units of the mesh. 0 means that
	// the surface is a thin wall. Thickness is multiplied by the green channel of the texture Thick. Absorption is
	// the loss of light per unit of this distance, for red, green and blue. After a distance x, the fraction
	// exp(-Absorption*x) of the light remains.
	Thickness  float32
	Thick      *Texture
	Absorption [3]float32
	// Refraction is the refractive index of the body; 0 means 1.5. It determines how much light bends when it enters
	// the body, and how widely a rough surface scatters this light.
	Refraction float32
}

// PlasticSpecular is the fraction of light that plastic and glass reflect, see Finish.Specular. It follows from their
// refractive index of 1.5.
const PlasticSpecular = 0.04

// Textures returns the addresses of all textures of the finish.
func (f *Finish) Textures() [12]**Texture {
	return [12]**Texture{
		&f.Surface, &f.Normals, &f.Occlusion, &f.Through, &f.SpecularTint, &f.SpecularPart, &f.CoatPart, &f.CoatRough, &f.CoatNormals,
		&f.SheenTint, &f.SheenRough, &f.Thick,
	}
}

// Numbers returns the addresses of all numbers of the finish.
func (f *Finish) Numbers() [21]*float32 {
	return [21]*float32{
		&f.Metallic, &f.Roughness, &f.Specular[0], &f.Specular[1], &f.Specular[2], &f.NormalScale, &f.OcclusionAmount,
		&f.Coat, &f.CoatRoughness, &f.Transmission, &f.GrazingLoss, &f.CoatNormalScale, &f.Sheen[0], &f.Sheen[1], &f.Sheen[2],
		&f.SheenRoughness, &f.Thickness, &f.Absorption[0], &f.Absorption[1], &f.Absorption[2], &f.Refraction,
	}
}
