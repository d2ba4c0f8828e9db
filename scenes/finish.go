package scenes

// A Finish says how a surface mirrors its surroundings and how much light passes through it. It is the
// metallic-roughness model of glTF 2.0 (specification, appendix B) with its extensions for specular colours, clear
// coats, sheen, transmission and volumes. Textures hold linear numbers, not sRGB, unless they are said to be colours.
type Finish struct {
	Metallic, Roughness float32  // 0 to 1; multiplied by the texture Surface
	Surface             *Texture // green: roughness, blue: metallic; nil: none

	// Specular is the share, 0 to 1, of light at perpendicular incidence that a non-metallic surface mirrors, for red,
	// green and blue. It is 0.04 for plastic and glass. It is multiplied by the colours of the texture SpecularTint and by
	// the alpha of the texture SpecularPart.
	Specular                   [3]float32
	SpecularTint, SpecularPart *Texture
	// GrazingLoss is the share, 0 to 1, of light at grazing angles that a non-metallic surface does not mirror. The share
	// that it mirrors, 1 - GrazingLoss, is multiplied by the alpha of SpecularPart.
	GrazingLoss float32

	Normals         *Texture // normal map in tangent space, by glTF's rules; nil: none
	NormalScale     float32  // factor of the x and y of Normals
	Occlusion       *Texture // red: the visible part of the sky; nil: none
	OcclusionAmount float32  // strength of Occlusion, 0 to 1

	// Coat is the strength of the clear coat, 0 to 1, multiplied by the red channel of CoatPart. CoatRoughness is its
	// roughness, 0 to 1, multiplied by the green channel of CoatRough. CoatNormals is the normal map of the coat. Without
	// it, the coat is smooth even if Normals is not nil.
	Coat, CoatRoughness float32
	CoatPart, CoatRough *Texture
	CoatNormals         *Texture
	CoatNormalScale     float32

	// Sheen is the colour, in linear light, of the light that fibres on the surface scatter. It is multiplied by the
	// colours of SheenTint. SheenRoughness says how widely the fibres scatter light. It is multiplied by the alpha of
	// SheenRough.
	Sheen                 [3]float32
	SheenRoughness        float32
	SheenTint, SheenRough *Texture

	// Transmission says how much of the light that is not mirrored passes through the surface: a share from 0 to 1,
	// which is multiplied by the red channel of the texture Through. The base colour tints this light.
	Transmission float32
	Through      *Texture
	// Thickness is the distance that transmitted light travels inside the body, in units of the mesh; 0 means that the
	// surface is a thin wall. It is multiplied by the green channel of Thick. After a distance x, the share
	// exp(-Absorption*x) of the light remains, for red, green and blue.
	Thickness  float32
	Thick      *Texture
	Absorption [3]float32
	// Refraction is the refractive index of the body; 0 means 1.5. It determines how much light bends when it enters the
	// body, and how widely a rough surface scatters it.
	Refraction float32
}

// PlasticSpecular is the share of light that plastic and glass mirror, see Finish.Specular. It follows from their
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
