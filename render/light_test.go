package render_test

import (
	"math"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
)

// studioFace computes the studio's light in float64: the sRGB colour of a face whose unit normal is given in camera
// space, x to the right, y up, z towards the eye, seen along z. up is the up axis in camera space.
func studioFace(n, up vec, base uint32) (color uint32) {
	key, fill, rim := vec{-0.55, 0.65, 0.75}.unit(), vec{0.8, 0.15, 0.6}.unit(), vec{0.3, 0.6, -0.75}.unit()
	facing := func(l vec) float64 { return math.Max(0, n.dot(l)) }
	diffuse := 0.70*facing(key) + 0.06*facing(fill) + 0.14*facing(vec{0, 0, 1}) + 0.12*facing(rim) + 0.10 + 0.18*(0.5+0.5*n.dot(up))
	specular := 0.10 * math.Pow(facing(key.add(vec{0, 0, 1}).unit()), 24)
	for shift := 0; shift < 24; shift += 8 {
		light := toLinear(float64(base>>shift&255)/255)*diffuse + specular
		color |= uint32(math.Round(255*toSRGB(math.Min(light, 1)))) << shift
	}
	return color
}

// TestStudioCube draws a cube in the isometric view. Its three faces must have the colours that studioFace computes, at
// least 20 steps of sRGB apart.
func TestStudioCube(t *testing.T) {
	o := render.Options{Width: 200, Height: 200, Light: render.LightStudio}
	mesh := boxMesh(vec{-1, -1, -1}, vec{1, 1, 1})
	cam := fitted(t, mesh, o, camera.Options{Azimuth: 45, Elevation: 35.264389682754654, Orthographic: true})
	inCamera := func(n vec) vec {
		return vec{n.dot(vec(cam.Right)), n.dot(vec(cam.Up)), -n.dot(vec(cam.Forward))}
	}
	pic, _ := drawn(t, mesh, cam, o)
	var seen []int
	for place, n := range map[[2]int]vec{{100, 60}: {0, 0, 1}, {60, 130}: {0, -1, 0}, {140, 130}: {1, 0, 0}} {
		want := studioFace(inCamera(n), inCamera(vec{0, 0, 1}), uint32(render.StudioColor))
		got := at(pic, place[0], place[1])
		for c := range 3 {
			if d := int(got[c]) - int(want>>(16-8*c)&255); d < -1 || d > 1 {
				t.Errorf("face %v is %v, want %06x", n, got, want)
			}
		}
		seen = append(seen, int(got[1]))
	}
	for i := range seen {
		for _, other := range seen[:i] {
			if d := seen[i] - other; d > -20 && d < 20 {
				t.Errorf("greens %v: two of them are less than 20 steps apart", seen)
			}
		}
	}
}
