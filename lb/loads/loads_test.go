package loads

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const head = `{"format":"lockstep-loads","version":1,"mesh":"m","blockSize":4,"triangles":[4,4,1]}` + "\n"

func TestRoundTrip(t *testing.T) {
	want := &Recording{
		Header:  Header{Mesh: "m", BlockSize: 4, Triangles: []int{4, 4, 1}},
		Seconds: [][]float64{{0.5, 0, 1e-9}, {0.25, 1, 2}},
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, want.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range want.Seconds {
		if err := w.WriteFrame(s); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(b.String(), head) {
		t.Errorf("header %q", b.String())
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
}

// TestPlaces checks that a recording keeps the positions of the blocks, if all frames have positions.
func TestPlaces(t *testing.T) {
	x, y := []float64{-0.5, 0, 3}, []float64{1, 2, -MaxPlace}
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{BlockSize: 4, Triangles: []int{4, 4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.WriteFrameAt([]float64{1, 2, 3}, x, y); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got.X, [][]float64{x, x}) || !reflect.DeepEqual(got.Y, [][]float64{y, y}) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := w.WriteFrameAt([]float64{1, 2, 3}, x, y[:2]); err == nil {
		t.Error("places of two of three blocks were accepted")
	}
}

func TestDamagedRecordings(t *testing.T) {
	frame := `{"frame":0,"seconds":[1,2,3]}` + "\n"
	for _, c := range []struct {
		text, part string
		line       int
	}{
		{"", "no header", 1},
		{head, "no frames", 2},
		{"{\n", "header", 1},
		{`{"format":"other","version":1}`, "format", 1},
		{strings.Replace(head, "4,4,1", "4,3,1", 1), "block 1 of 3 has 3", 1},
		{strings.Replace(head, "4,4,1", "4,4,-1", 1), "block 2", 1},
		{strings.Replace(head, "[4,4,1]", "[]", 1), "no blocks", 1},
		{strings.Replace(head, `"blockSize":4`, `"blockSize":0`, 1), "blockSize", 1},
		{head + frame + frame, "expected frame 1", 3},
		{head + `{"seconds":[1,2,3]}`, "expected frame 0", 2},
		{head + `{"frame":0,"seconds":[1,2]}`, "times of 2 blocks", 2},
		{head + `{"frame":0,"seconds":[1,-2,3]}`, "block 1 took -2", 2},
		{head + `{"frame":0,"seconds":[1,1e308,3]}`, "block 1 took 1e+308 seconds", 2},
		{head + frame + "garbage", "frame", 3},
		{head + frame + `{"frame":1,"seconds":[1,2,3],"x":[1,2,3],"y":[1,2,3]}`, "frame 1 has places", 3},
		{head + `{"frame":0,"seconds":[1,2,3],"x":[1,2,3]}`, "places of 0 blocks", 2},
		{head + `{"frame":0,"seconds":[1,2,3],"x":[1,2,3],"y":[1,2,1e9]}`, "block 2 is at 1e+09", 2},
		{head + `{"frame":0,"seconds":[1,1e999,3]}`, "frame", 2},
	} {
		_, err := Read(strings.NewReader(c.text))
		var re *ReadError
		if !errors.As(err, &re) || re.Line != c.line || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%q: %v; want line %d, %q", c.text, err, c.line, c.part)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	var b bytes.Buffer
	if _, err := NewWriter(&b, Header{BlockSize: 4}); err == nil {
		t.Error("a mesh without blocks was accepted")
	}
	w, err := NewWriter(&b, Header{BlockSize: 4, Triangles: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFrame([]float64{1, 2}); err == nil || !strings.Contains(err.Error(), "frame 0") {
		t.Errorf("a frame of the wrong size: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + `{"frame":0,"seconds":[1,2,3]}`))
	f.Add([]byte(head))
	f.Fuzz(func(t *testing.T, b []byte) {
		recording, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, recording.Header)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range recording.Seconds {
			if err := w.WriteFrame(s); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Read(&out)
		if err != nil || len(again.Seconds) != len(recording.Seconds) {
			t.Fatalf("what was read does not survive: %v", err)
		}
	})
}
