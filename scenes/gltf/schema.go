package gltf

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// An integer is a whole number in JSON. Some programs write 3.0 for 3.
type integer int64

// UnmarshalJSON accepts numbers whose value is an integer.
func (i *integer) UnmarshalJSON(data []byte) error {
	if v, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		*i = integer(v)
		return nil
	}
	v, err := strconv.ParseFloat(string(data), 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return &json.UnmarshalTypeError{Value: string(data[:min(len(data), 40)]), Type: reflect.TypeFor[integer]()} // package json adds the name of the field
	}
	*i = integer(v)
	return nil
}

// A claimedDocument holds the parts of a glTF document that matter for drawing: specification 2.0, section 5. Its
// fields hold what the text of the document claims, without any check. An index into a list is a pointer if the
// document may leave it out.
type claimedDocument struct {
	Asset struct {
		Version    string `json:"version"`
		MinVersion string `json:"minVersion"`
	} `json:"asset"`
	ExtensionsRequired []string            `json:"extensionsRequired"`
	Scene              *integer            `json:"scene"`
	Scenes             []sceneNodes        `json:"scenes"`
	Nodes              []claimedNode       `json:"nodes"`
	Meshes             []claimedMesh       `json:"meshes"`
	Skins              []skin              `json:"skins"`
	Accessors          []claimedAccessor   `json:"accessors"`
	BufferViews        []claimedBufferView `json:"bufferViews"`
	Buffers            []claimedBuffer     `json:"buffers"`
	Materials          []claimedMaterial   `json:"materials"`
	Textures           []claimedTexture    `json:"textures"`
	Images             []picture           `json:"images"`
	Samplers           []claimedSampler    `json:"samplers"`
	Animations         json.RawMessage     `json:"animations"` // decoded later as []claimedClip; damage affects only clips
}

type sceneNodes struct {
	Nodes []integer `json:"nodes"`
}

type claimedNode struct {
	Name        string    `json:"name"`
	Children    []integer `json:"children"`
	Mesh        *integer  `json:"mesh"`
	Skin        *integer  `json:"skin"`
	Matrix      []float64 `json:"matrix"`
	Translation []float64 `json:"translation"`
	Rotation    []float64 `json:"rotation"`
	Scale       []float64 `json:"scale"`
	Weights     []float64 `json:"weights"`
	Extensions  struct {
		Instancing *struct {
			Attributes map[string]integer `json:"attributes"`
		} `json:"EXT_mesh_gpu_instancing"`
	} `json:"extensions"`
}

type claimedMesh struct {
	Name       string             `json:"name"`
	Primitives []claimedPrimitive `json:"primitives"`
	Weights    []float64          `json:"weights"`
}

type claimedPrimitive struct {
	Attributes map[string]integer   `json:"attributes"`
	Indices    *integer             `json:"indices"`
	Material   *integer             `json:"material"`
	Mode       *integer             `json:"mode"`
	Targets    []map[string]integer `json:"targets"`
	Extensions extensions           `json:"extensions"`
}

type skin struct {
	InverseBindMatrices *integer  `json:"inverseBindMatrices"`
	Joints              []integer `json:"joints"`
}

type claimedAccessor struct {
	BufferView    *integer   `json:"bufferView"`
	ByteOffset    integer    `json:"byteOffset"`
	ComponentType integer    `json:"componentType"`
	Normalized    bool       `json:"normalized"`
	Count         integer    `json:"count"`
	Type          string     `json:"type"`
	Max           claimedMax `json:"max"`
	Sparse        *sparse    `json:"sparse"`
}

type sparse struct {
	Count   integer    `json:"count"`
	Indices sparsePart `json:"indices"`
	Values  sparsePart `json:"values"`
}

type sparsePart struct {
	BufferView    integer `json:"bufferView"`
	ByteOffset    integer `json:"byteOffset"`
	ComponentType integer `json:"componentType"` // type of the indices
}

type claimedBufferView struct {
	Buffer     integer    `json:"buffer"`
	ByteOffset integer    `json:"byteOffset"`
	ByteLength integer    `json:"byteLength"`
	ByteStride integer    `json:"byteStride"`
	Extensions extensions `json:"extensions"`
}

// A meshoptView is the content of EXT_meshopt_compression in a buffer view. Since 2025 the extension is also called
// KHR_meshopt_compression.
type meshoptView struct {
	Buffer     integer `json:"buffer"`
	ByteOffset integer `json:"byteOffset"`
	ByteLength integer `json:"byteLength"`
	ByteStride integer `json:"byteStride"`
	Count      integer `json:"count"`
	Mode       string  `json:"mode"`
	Filter     string  `json:"filter"`
}

type claimedBuffer struct {
	URI        string  `json:"uri"`
	ByteLength integer `json:"byteLength"`
}

type claimedMaterial struct {
	Name string `json:"name"`
	PBR  struct {
		BaseColorFactor  []float64    `json:"baseColorFactor"`
		BaseColorTexture *textureInfo `json:"baseColorTexture"`
		Metallic         *float64     `json:"metallicFactor"`
		Roughness        *float64     `json:"roughnessFactor"`
		Surface          *textureInfo `json:"metallicRoughnessTexture"`
	} `json:"pbrMetallicRoughness"`
	Normal          *scaledTexture `json:"normalTexture"`
	Occlusion       *scaledTexture `json:"occlusionTexture"`
	EmissiveFactor  []float64      `json:"emissiveFactor"`
	EmissiveTexture *textureInfo   `json:"emissiveTexture"`
	AlphaMode       string         `json:"alphaMode"`
	AlphaCutoff     *float64       `json:"alphaCutoff"`
	DoubleSided     bool           `json:"doubleSided"`
	Extensions      struct {
		Emissive struct {
			Strength *float64 `json:"emissiveStrength"`
		} `json:"KHR_materials_emissive_strength"`
		Unlit json.RawMessage `json:"KHR_materials_unlit"`
		claimedFinish
	} `json:"extensions"`
}

type textureInfo struct {
	Index      integer `json:"index"`
	TexCoord   integer `json:"texCoord"`
	Extensions struct {
		Transform *struct {
			Offset   []float64 `json:"offset"`
			Rotation float64   `json:"rotation"`
			Scale    []float64 `json:"scale"`
			TexCoord *integer  `json:"texCoord"`
		} `json:"KHR_texture_transform"`
	} `json:"extensions"`
}

type claimedTexture struct {
	Sampler    *integer   `json:"sampler"`
	Source     *integer   `json:"source"`
	Extensions extensions `json:"extensions"`
}

// source returns the image of a texture, preferably the one in KTX 2 or WebP. It returns nil if the texture has no
// image.
func (t *claimedTexture) source() *integer {
	for _, name := range []string{basisName, "EXT_texture_webp"} {
		var other struct {
			Source *integer `json:"source"`
		}
		if t.Extensions.get(name, &other) && other.Source != nil {
			return other.Source
		}
	}
	return t.Source
}

type picture struct {
	Name       string   `json:"name"`
	URI        string   `json:"uri"`
	BufferView *integer `json:"bufferView"`
}

type claimedSampler struct {
	MagFilter integer `json:"magFilter"`
	MinFilter integer `json:"minFilter"`
	WrapS     integer `json:"wrapS"`
	WrapT     integer `json:"wrapT"`
}

// entry returns entry i of list. If the entry does not exist, the error contains `name`, the word for such an entry.
func entry[T any](list []T, name string, i integer) (*T, error) {
	if i < 0 || int64(i) >= int64(len(list)) {
		return nil, fmt.Errorf("%s %d of %d", name, i, len(list))
	}
	return &list[i], nil
}
