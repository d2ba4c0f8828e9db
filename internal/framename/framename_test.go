package framename

import (
	"fmt"
	"testing"
)

func TestNames(t *testing.T) {
	for output, want := range map[string]string{
		"out": "out/m_00007.png", "out/": "out/m_00007.png", "f_##.png": "f_00007.png", "a/%07d.PNG": "a/0000007.PNG", "b%dc.png": "b00007c.png",
	} {
		names, err := New(output, "scans/m.stl.gz", 20000)
		if err != nil || names.Name(7) != want {
			t.Errorf("%s: %v, %v: expected %s", output, names.Name(7), err, want)
		}
		for k := range 20000 {
			if k%997 == 0 {
				file := names.Name(k)[len(names.Folder())+1:]
				if names.Folder() == "." {
					file = names.Name(k)
				}
				if got, ok := names.Number(file, 20000); !ok || got != k {
					t.Errorf("%s: the number of %s is %d, %v", output, file, got, ok)
				}
			}
		}
		for _, other := range []string{"", "m_7.png", "m_99999.png", "m_20000.png", "f_7.png", "m_0000x.png", "-0001.png"} {
			if k, ok := names.Number(other, 20000); ok {
				t.Errorf("%s: %q is frame %d", output, other, k)
			}
		}
	}
	for _, output := range []string{"", "-", "a.mov", "a##b##.png", "a##.jpg", "%21d.png"} {
		if names, err := New(output, "m.stl", 3); err == nil {
			t.Errorf("%s: is %v", output, names)
		}
	}
	for mesh, want := range map[string]string{"scene:knot?seed=1": "knot", "-": "", "x/y.z.ply": "y.z", ".ply": ".ply", "a.stl.zst": "a"} {
		if got := Base(mesh); got != want {
			t.Errorf("%s: %q, expected %q", mesh, got, want)
		}
	}
	if got := fmt.Sprint(IsAnimation("a.gif"), IsAnimation("a.PNG"), IsAnimation("a##.png"), IsAnimation("a"), IsAnimation(t.TempDir())); got != "true true false false false" {
		t.Error(got)
	}
}
