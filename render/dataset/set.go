package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Camera maps a point X of the world to the pixel K (R X + T), in homogeneous coordinates. Its axis x points to the
// right, y down and z forward. The centre of the upper left pixel is (0, 0).
type Camera struct {
	K, R [3][3]float64
	T    [3]float64
}

// A Seen describes an object in a view. All is the region that the object would cover if it were alone. Shown
// describes the pixels that really show it.
type Seen struct {
	All   Region
	Shown Shown
}

// A Set is a scene with its views.
type Set struct {
	Width, Height int
	DepthScale    float64  // length that one step of a 16-bit depth stands for, see Depths
	Objects       []string // names of the objects
	Source        string   // name of the mesh or scene that the pictures show; empty means unknown

	views []view
}

// A view holds the lines of the set's files for one picture, encoded as JSON.
type view struct{ camera, poses, infos, notes []byte }

// New returns a set with the given number of views. The caller describes each view with Describe. Objects with equal
// names get distinct names.
func New(width, height, views int, depthScale float64, objects []string) *Set {
	return &Set{Width: width, Height: height, DepthScale: depthScale, Objects: distinctNames(objects), views: make([]view, views)}
}

// distinctNames returns names that differ from each other. The second of two equal names gets a "#" and a number.
func distinctNames(names []string) []string {
	taken := map[string]bool{}
	all := make([]string, len(names))
	for i, name := range names {
		if name == "" {
			name = "part"
		}
		for first := true; taken[name]; first = false {
			if name += "#" + strconv.Itoa(i+1); !first {
				name += "_"
			}
		}
		taken[name] = true
		all[i] = name
	}
	return all
}

// Describe records the camera of a view and the pixels of every object in it. Views may be described in any order.
// Several goroutines may describe different views at the same time.
func (s *Set) Describe(number int, c Camera, seen []Seen) error {
	v := &s.views[number]
	poses, infos, notes := make([]pose, len(seen)), make([]info, len(seen)), []annotation{}
	for i := range seen {
		poses[i] = pose{flatten(c.R), c.T, i + 1}
		infos[i] = infoOf(&seen[i])
		if shown := &seen[i].Shown; shown.Pixels > 0 {
			notes = append(notes, annotation{
				ID: int64(number)*int64(len(s.Objects)) + int64(i) + 1, Image: number, Category: i + 1, Area: shown.Pixels,
				Box: shown.box(), Segmentation: segmentation{shown.Runs, [2]int{s.Height, s.Width}},
			})
		}
	}
	for _, text := range []struct {
		to *[]byte
		of any
	}{
		{&v.camera, scene{flatten(c.K), flatten(c.R), c.T, s.DepthScale}}, {&v.poses, poses}, {&v.infos, infos}, {&v.notes, notes},
	} {
		var err error
		if *text.to, err = json.Marshal(text.of); err != nil {
			return fmt.Errorf("data set: view %d: %w", number, err)
		}
	}
	return nil
}

func flatten(m [3][3]float64) (all [9]float64) {
	for i, row := range m {
		copy(all[3*i:], row[:])
	}
	return all
}

// Entries of the files. Fields are named as in BOP and COCO.
type (
	scene struct {
		K     [9]float64 `json:"cam_K"`
		R     [9]float64 `json:"cam_R_w2c"`
		T     [3]float64 `json:"cam_t_w2c"`
		Scale float64    `json:"depth_scale"`
	}
	pose struct {
		R      [9]float64 `json:"cam_R_m2c"`
		T      [3]float64 `json:"cam_t_m2c"`
		Object int        `json:"obj_id"`
	}
	info struct {
		BoxAll   [4]int  `json:"bbox_obj"`
		BoxShown [4]int  `json:"bbox_visib"`
		All      int     `json:"px_count_all"`
		Valid    int     `json:"px_count_valid"`
		Shown    int     `json:"px_count_visib"`
		Part     float64 `json:"visib_fract"`
	}
	annotation struct {
		ID           int64        `json:"id"`
		Image        int          `json:"image_id"`
		Category     int          `json:"category_id"`
		Crowd        int          `json:"iscrowd"`
		Area         int          `json:"area"`
		Box          [4]int       `json:"bbox"`
		Segmentation segmentation `json:"segmentation"`
	}
	segmentation struct {
		Counts []int  `json:"counts"`
		Size   [2]int `json:"size"`
	}
)

// infoOf returns the entry of an object in a view. Every pixel of the object has a depth: that of the object, or of a
// nearer object. So the numbers of valid pixels and of all pixels are equal.
func infoOf(s *Seen) info {
	i := info{BoxAll: s.All.box(), BoxShown: s.Shown.box(), All: s.All.Pixels, Valid: s.All.Pixels, Shown: s.Shown.Pixels}
	if i.All > 0 {
		i.Part = math.Round(1e6*float64(i.Shown)/float64(i.All)) / 1e6
	}
	return i
}

// Cameras returns BOP's scene_camera.json, which has a line for each view.
func (s *Set) Cameras() string { return s.lines(func(v *view) []byte { return v.camera }) }

// Poses returns BOP's scene_gt.json, which has a line for each view.
func (s *Set) Poses() string { return s.lines(func(v *view) []byte { return v.poses }) }

// Infos returns BOP's scene_gt_info.json, which has a line for each view.
func (s *Set) Infos() string { return s.lines(func(v *view) []byte { return v.infos }) }

func (s *Set) lines(of func(v *view) []byte) string {
	var b strings.Builder
	for k := range s.views {
		fmt.Fprintf(&b, "%s\n  \"%d\": %s", map[bool]string{true: "{", false: ","}[k == 0], k, of(&s.views[k]))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// Notes returns COCO's annotations. The function picture returns the file name of a view's picture.
func (s *Set) Notes(picture func(view int) string) string {
	type category struct {
		ID    int    `json:"id"`
		Name  string `json:"name"`
		Super string `json:"supercategory"`
	}
	type image struct {
		ID     int    `json:"id"`
		File   string `json:"file_name"`
		Width  int    `json:"width"`
		Height int    `json:"height"`
	}
	var b strings.Builder
	list := func(n int, text func(i int) string) {
		first := true
		for i := range n {
			if t := text(i); t != "" {
				b.WriteString(map[bool]string{true: "\n    ", false: ",\n    "}[first] + t)
				first = false
			}
		}
	}
	b.WriteString("{\n  \"info\": " + mustJSON(map[string]string{"description": s.Source}) + ",\n  \"licenses\": [],\n  \"categories\": [")
	list(len(s.Objects), func(i int) string { return mustJSON(category{i + 1, s.Objects[i], s.Source}) })
	b.WriteString("\n  ],\n  \"images\": [")
	list(len(s.views), func(k int) string { return mustJSON(image{k, picture(k), s.Width, s.Height}) })
	b.WriteString("\n  ],\n  \"annotations\": [")
	list(len(s.views), func(k int) string { return strings.Trim(string(s.views[k].notes), "[]") })
	b.WriteString("\n  ]\n}\n")
	return b.String()
}

// mustJSON returns v as JSON. v must consist of texts and finite numbers, so that encoding it cannot fail.
func mustJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// Lens returns BOP's camera.json for c, the camera of the first view.
func (s *Set) Lens(c Camera) string {
	text, _ := json.MarshalIndent(struct {
		Cx     float64 `json:"cx"`
		Cy     float64 `json:"cy"`
		Scale  float64 `json:"depth_scale"`
		Fx     float64 `json:"fx"`
		Fy     float64 `json:"fy"`
		Height int     `json:"height"`
		Width  int     `json:"width"`
	}{c.K[0][2], c.K[1][2], s.DepthScale, c.K[0][0], c.K[1][1], s.Height, s.Width}, "", "  ")
	return string(text) + "\n"
}
