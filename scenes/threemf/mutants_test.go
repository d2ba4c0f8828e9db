package threemf

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

var (
	long        = flag.Bool("long", false, "run tests that take minutes")
	mutantsFrom = flag.Uint64("mutants-from", 1, "the seed of damaged files")
)

// rich is a model with properties of all kinds and with objects inside objects. Some objects are placed several times.
const rich = head + `<resources>
	<basematerials id="2"><base name="red" displaycolor="#FF0000"/></basematerials>
	<m:colorgroup id="3"><m:color color="#102030FF"/><m:color color="#405060"/></m:colorgroup>
	<m:texture2d id="4" path="/3D/a.png" contenttype="image/png"/><m:texture2dgroup id="5" texid="4"><m:tex2coord u="0.25" v="0.125"/></m:texture2dgroup>
	<object id="1" pid="2" pindex="0"><mesh>` + vertices + `<triangles><triangle v1="0" v2="1" v3="2"/><triangle v1="0" v2="1" v3="2" pid="3" p1="1" paint_color="4"/></triangles></mesh></object>
	<object id="6"><components><component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 3 0 0"/></components></object>
	<object id="7"><components><component objectid="6"/><component objectid="1"/></components></object>
	<object id="8"><components><component objectid="7"/><component objectid="6"/></components></object>
	</resources><build><item objectid="8"/><item objectid="1"/></build></model>`

// TestStructures reads models with mutated structures.
func TestStructures(t *testing.T) {
	n := 150
	if *long {
		n = 100_000
	}
	picture := string(meshtest.PNG(t, 2, 1, 0xff0000, 0x0000ff))
	meshtest.Mutants(t, Format, n, *mutantsFrom, func(r *rand.Rand) string {
		return pack(meshtest.Mutate3MF(r, rich, 2000), "3D/a.png", picture)
	})
}

// TestMutants reads archives with changed bytes, and intact archives that hold a model with changed text.
func TestMutants(t *testing.T) {
	whole := pack(rich, "3D/a.png", string(meshtest.PNG(t, 2, 1, 0xff0000, 0x0000ff)))
	meshtest.MutantsBy(t, Format, func(r *rand.Rand) string {
		if r.IntN(2) == 0 {
			return meshtest.Mutate(r, whole, 2000)
		}
		return pack(meshtest.Mutate(r, rich, 2000))
	})
}

// FuzzStructures mutates the structure of a model with any seed.
func FuzzStructures(f *testing.F) {
	f.Add(rich, uint64(1), 7)
	f.Add(colors, uint64(2), 7)
	f.Fuzz(func(t *testing.T, model string, seed uint64, piece int) {
		meshtest.FuzzInstances(t, Format, []byte(meshtest.Mutate3MF(rand.New(rand.NewPCG(seed, 0)), model, 50)), piece)
	})
}

// TestPicturesOnce checks that a picture is decoded only once for all textures that name it, in upper or lower case. A
// missing picture must be looked for only once.
func TestPicturesOnce(t *testing.T) {
	textures := strings.Repeat(`<m:texture2d id="4" path="/3D/a.png"/><m:texture2dgroup id="5" texid="4"/>`, 5) +
		`<m:texture2d id="4" path="3d/A.png"/><m:texture2dgroup id="5" texid="4"/>`
	file := pack(head+`<resources>`+textures+anObject+`</resources>`+build, "3D/a.png", string(meshtest.PNG(t, 2, 1, 0xff0000, 0x0000ff)))
	pictures := make(map[any]bool)
	m := read(t, file)
	for _, mat := range m.Attributes.Materials {
		pictures[mat.Texture.Picture] = true
	}
	if len(pictures) != 1 || len(m.Attributes.Materials) != 6 {
		t.Errorf("%d pictures, %d materials", len(pictures), len(m.Attributes.Materials))
	}
}

// TestRequiredOnce checks that an extension that several parts require causes only one warning.
func TestRequiredOnce(t *testing.T) {
	other := strings.Replace(head, "<model ", `<model xmlns:zz="http://example.org/z" requiredextensions="zz zz" `, 1)
	part := other + `<resources><object id="9">` + square + `</object></resources><build/></model>`
	file := pack(other+`<resources>`+anObject+`<object id="2"><components><component objectid="9" p:path="/3D/b.model"/></components></object></resources><build><item objectid="2"/></build></model>`, "3D/b.model", part)
	_, rep, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], `"http://example.org/z"`) {
		t.Errorf("%v, %+v", err, rep)
	}
}
