package render_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/png"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
)

// A picture of a mesh file, as the command draws it: read the file, find the normals, fit a camera, draw a frame and
// write it.
func Example() {
	ctx := context.Background()
	mesh, _, err := load.File(ctx, "../testdata/knot.stl", scenes.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	smooth, err := render.NewSurface(ctx, mesh, render.SurfaceOptions{}) // with normals
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := render.New(render.Options{Width: 640, Height: 480}.Studio())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	cam, err := camera.FitTight(ctx, mesh, mesh.Bounds(), 640, 480, camera.Options{Azimuth: 30, Elevation: 20, Up: mesh.Up})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pic render.Picture
	stats, err := r.Frame(ctx, smooth, cam, &pic)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := png.Encode(&file, pic.Image(), nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d triangles, %d pixels covered, a file that begins with %q\n", stats.Triangles.In, stats.Covered, file.Bytes()[1:4])
	// Output: 6012 triangles, 123202 pixels covered, a file that begins with "PNG"
}

// thumbnails is an HTTP handler that draws the meshes of a file system: /part.stl?size=64.
// Requests share a few renderers.
type thumbnails struct {
	meshes    fs.FS
	renderers chan *render.Renderer
}

func (h *thumbnails) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	size, err := strconv.Atoi(req.FormValue("size"))
	if err != nil || size < 1 || size > 1024 {
		http.Error(w, "size: expected 1 to 1024", http.StatusBadRequest)
		return
	}
	limits := scenes.ReadOptions{MaxTriangles: 10_000_000, MaxMemory: 1 << 30}
	mesh, _, err := load.FS(req.Context(), h.meshes, req.URL.Path[1:], limits)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	r := <-h.renderers
	defer func() { h.renderers <- r }()
	var pic render.Picture
	switch err := thumbnail(req.Context(), r, mesh, size, &pic); {
	case errors.Is(err, render.ErrBlank):
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	case err != nil: // for example, the client has closed the connection
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, pic.Image(), nil)
	}
}

// thumbnail draws with four samples a pixel. The renderer keeps the memory of the largest picture that it has drawn.
func thumbnail(ctx context.Context, r *render.Renderer, mesh *scenes.Mesh, size int, pic *render.Picture) error {
	o := r.Options()
	o.Width, o.Height, o.Samples = size, size, 4
	if err := r.SetOptions(o); err != nil {
		return err
	}
	cam, err := camera.Fit(mesh.Bounds(), size, size, camera.Options{Up: mesh.Up, Azimuth: 30, Elevation: 20})
	if err != nil {
		return err
	}
	_, err = r.Frame(ctx, mesh, cam, pic)
	return err
}

// Thumbnails by HTTP, drawn by two renderers that any number of requests share.
func ExampleRenderer_SetOptions() {
	h := &thumbnails{meshes: os.DirFS("../testdata"), renderers: make(chan *render.Renderer, 2)}
	for range cap(h.renderers) {
		r, err := render.New(render.Options{Workers: 1})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer r.Close()
		h.renderers <- r
	}
	for _, url := range []string{"/cube.stl?size=64", "/knot.stl?size=256", "/cube.stl?size=-1", "/missing.stl?size=64"} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest("GET", url, nil))
		fmt.Println(url, answer.Code, answer.Header().Get("Content-Type"))
	}
	// Output:
	// /cube.stl?size=64 200 image/png
	// /knot.stl?size=256 200 image/png
	// /cube.stl?size=-1 400 text/plain; charset=utf-8
	// /missing.stl?size=64 404 text/plain; charset=utf-8
}

// A map of depths becomes points in space: each pixel's depth is converted back to a point by the camera. All points
// lie on the sphere that was drawn.
func ExampleCamera_Unproject() {
	const width, height = 320, 240
	ctx := context.Background()
	sphere, err := procedural.Parse("scene:sphere?triangles=100k")
	if err != nil {
		fmt.Println(err)
		return
	}
	box, err := scenes.Bounds(ctx, sphere, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	cam, err := camera.Fit(box, width, height, camera.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := render.New(render.Options{Width: width, Height: height, Depth: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var pic render.Picture
	if _, err := r.Frame(ctx, sphere, cam, &pic); err != nil {
		fmt.Println(err)
		return
	}
	var points []mgl64.Vec3
	for i, depth := range pic.Depth {
		if !math.IsInf(float64(depth), 1) {
			x, y := float64(i%width)+0.5, float64(i/width)+0.5
			points = append(points, cam.Unproject(x, y, float64(depth), width, height))
		}
	}
	off, radius := 0.0, (box.Max[0]-box.Min[0])/2
	for _, p := range points {
		off = math.Max(off, math.Abs(p.Sub(mgl64.Vec3(box.Center())).Len()/radius-1))
	}
	fmt.Printf("%d points, all on the sphere to a thousandth of its radius: %t\n", len(points), off < 1e-3)
	// Output: 24748 points, all on the sphere to a thousandth of its radius: true
}

// A label beside a corner needs the place of a point of the mesh in the picture.
func ExampleCamera_Project() {
	const width, height = 640, 480
	box := scenes.Box{Min: [3]float64{0, 0, 0}, Max: [3]float64{10, 10, 10}}
	cam, err := camera.Fit(box, width, height, camera.Options{Azimuth: 45, Elevation: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, corner := range []mgl64.Vec3{{10, 0, 0}, {10, 0, 10}} {
		x, y, depth := cam.Project(corner, width, height)
		fmt.Printf("%v is at pixel (%.0f, %.0f), %.1f away\n", corner, x, y, depth)
	}
	// Output:
	// [10 0 0] is at pixel (320, 456), 32.6 away
	// [10 0 10] is at pixel (320, 214), 27.6 away
}

// A frame has a deadline. If it is not complete in time, Frame returns an error, and the renderer can draw the next
// frame.
func ExampleRenderer_Frame() {
	scene, err := procedural.Parse("scene:bumpy?triangles=10M")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := render.New(render.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	box := scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}
	cam, err := camera.Fit(box, 1920, 1080, camera.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // or context.WithTimeout
	var pic render.Picture
	_, err = r.Frame(ctx, scene, cam, &pic)
	fmt.Println(err, errors.Is(err, context.Canceled))
	_, err = r.Frame(context.Background(), &scenes.Mesh{}, cam, &pic)
	fmt.Println(err, errors.Is(err, render.ErrBlank))
	// Output:
	// draw frame: context canceled true
	// draw frame: nothing is visible true
}
