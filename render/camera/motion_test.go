package camera_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/camera"
	"lockstep/scenes"
)

var box = scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}

func TestOrbit(t *testing.T) {
	eye, target := mgl64.Vec3{5, 1, 3}, mgl64.Vec3{0, 1, 0}
	for _, up := range []scenes.Axis{scenes.PlusZ, scenes.PlusY} {
		cams, err := camera.Orbit(box, eye, target, camera.Options{Up: up}, 8)
		if err != nil {
			t.Fatal(err)
		}
		first, err := camera.Look(box, eye, target, camera.Options{Up: up})
		if err != nil || cams[0] != first {
			t.Errorf("the first camera is %v, want %v (%v)", cams[0], first, err)
		}
		axis := mgl64.Vec3(up.Vector())
		for k, c := range cams {
			if d := c.Eye.Sub(target).Len() - eye.Sub(target).Len(); math.Abs(d) > 1e-12 || math.Abs(c.Eye.Sub(eye).Dot(axis)) > 1e-12 {
				t.Errorf("frame %d leaves the circle: %v", k, c.Eye)
			}
		}
		// A quarter of the orbit later, the eye has turned counter-clockwise when seen from above.
		radius := func(e mgl64.Vec3) mgl64.Vec3 { d := e.Sub(target); return d.Sub(axis.Mul(d.Dot(axis))) }
		if q := radius(cams[2].Eye).Sub(axis.Cross(radius(eye))); q.Len() > 1e-12 {
			t.Errorf("a quarter later the eye is at %v", cams[2].Eye)
		}
	}
}

func TestPath(t *testing.T) {
	keys := []camera.Keyframe{
		{Frame: 2, Eye: mgl64.Vec3{0, -10, 0}, FieldOfView: 20, Zoom: 1},
		{Frame: 6, Eye: mgl64.Vec3{0, -10, 4}, Target: mgl64.Vec3{0, 0, 1}, FieldOfView: 40, Zoom: 4},
		{Frame: 8, Eye: mgl64.Vec3{3, -10, 4}},
	}
	cams, err := camera.Path(box, keys, camera.Options{}, 12)
	if err != nil {
		t.Fatal(err)
	}
	for frame, key := range map[int]int{0: 0, 2: 0, 6: 1, 8: 2, 11: 2} {
		if cams[frame].Eye != keys[key].Eye || cams[frame].Target != keys[key].Target {
			t.Errorf("frame %d: eye %v, want %v", frame, cams[frame].Eye, keys[key].Eye)
		}
	}
	for f := 3; f < 6; f++ {
		if !(cams[f].Eye[2] > cams[f-1].Eye[2]) || cams[f].Eye[1] != -10 {
			t.Errorf("frame %d: eye %v after %v", f, cams[f].Eye, cams[f-1].Eye)
		}
	}
	if tan := math.Tan(20 * math.Pi / 180); math.Abs(cams[6].Magnification-4/(2*tan)) > 1e-9 {
		t.Errorf("magnification %g", cams[6].Magnification)
	}
	for name, bad := range map[string][]camera.Keyframe{
		"none": nil, "order": {{Frame: 1, Eye: mgl64.Vec3{1, 1, 1}}, {Frame: 1, Eye: mgl64.Vec3{1, 1, 1}}}, "zoom": {{Eye: mgl64.Vec3{1, 1, 1}, Zoom: -1}}, "one point": {{}},
	} {
		if _, err := camera.Path(box, bad, camera.Options{}, 3); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCircle follows an orbit. Its directions must lie in one plane, and directions a quarter of the orbit apart must
// be at right angles. Seen from above, the orbit must turn counter-clockwise.
func TestCircle(t *testing.T) {
	at := func(az, el float64) mgl64.Vec3 {
		sinA, cosA := math.Sincos(az * math.Pi / 180)
		sinE, cosE := math.Sincos(el * math.Pi / 180)
		return mgl64.Vec3{cosA * cosE, sinA * cosE, sinE}
	}
	for _, from := range [][2]float64{{0, 0}, {30, 20}, {-170, -60}, {200, 89}} {
		start := at(from[0], from[1])
		normal := start.Cross(at(from[0]+90, 0))
		for k := range 36 {
			part := float64(k) / 36
			d := at(camera.Circle(from[0], from[1], part))
			if off := d.Dot(normal); math.Abs(off) > 1e-12 {
				t.Errorf("from %v, %d of 36: %g off the circle", from, k, off)
			}
			if along := d.Dot(start); math.Abs(along-math.Cos(2*math.Pi*part)) > 1e-12 {
				t.Errorf("from %v, %d of 36: turned by acos %g", from, k, along)
			}
			if ahead := start.Cross(d).Dot(normal); k > 0 && k < 18 && ahead <= 0 {
				t.Errorf("from %v, %d of 36: turns clockwise", from, k)
			}
		}
	}
}

// TestSphere checks that the eyes lie on a sphere, and that their mean is its centre. No two eyes may be closer than
// 1.3 times the radius of a disc with an equal share of the sphere's area.
func TestSphere(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100} {
		place := camera.Sphere(n)
		eyes := make([]mgl64.Vec3, n)
		var sum mgl64.Vec3
		for k := range eyes {
			az, el := place(30, 20, float64(k)/float64(n))
			if !(math.Abs(el) < 90) {
				t.Fatalf("%d eyes: elevation %v", n, el)
			}
			sinA, cosA := math.Sincos(az * math.Pi / 180)
			sinE, cosE := math.Sincos(el * math.Pi / 180)
			eyes[k] = mgl64.Vec3{cosE * cosA, cosE * sinA, sinE}
			sum = sum.Add(eyes[k])
			for _, other := range eyes[:k] {
				if d, disc := eyes[k].Sub(other).Len(), math.Sqrt(4/float64(n)); n > 2 && d < 1.3*disc {
					t.Errorf("%d eyes: two are %v apart, each has a disc of radius %v", n, d, disc)
				}
			}
		}
		if mean := sum.Mul(1 / float64(n)).Len(); n > 2 && mean > 0.2 || math.Abs(sum[2]) > 1e-9 {
			t.Errorf("%d eyes: they lie around %v", n, sum.Mul(1/float64(n)))
		}
		if az, _ := place(30, 20, 0); az != 30 {
			t.Errorf("%d eyes: the first is at %v", n, az)
		}
	}
}
