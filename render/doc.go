// Package render turns meshes into pictures on the processor's vector lanes
// and cores.
//
// # From a mesh to a picture
//
// The following code draws a picture with the look of the program cmd/render: studio lights on a smooth surface, darker
// where the surface around hides the sky, four samples a pixel, and the mesh in the middle of the frame.
//
//	mesh, _, err := load.File(ctx, "part.stl", scenes.ReadOptions{})
//	smooth, err := render.NewSurface(ctx, mesh, render.SurfaceOptions{}) // normals
//	r, err := render.New(render.Options{Width: 1280, Height: 720}.Studio())
//	defer r.Close()
//	cam, err := camera.FitTight(ctx, mesh, mesh.Bounds(), 1280, 720, camera.Options{Azimuth: 30, Elevation: 20, Up: mesh.Up})
//	var pic render.Picture
//	stats, err := r.Frame(ctx, smooth, cam, &pic)
//	err = png.Encode(file, pic.Image(), nil) // of lockstep/render/png; or any other encoder of an image.Image
//
// Function Draw of package lockstep/render/recipe does the same for a named file, and can add sections, lines and
// legends.
//
// [Options.Studio] sets that look, and [NewSurface] finds the normals that the look needs. Options without it give
// a plain picture: one light at the eye, flat triangles, one sample a pixel, a transparent background. A plain
// picture can be drawn of any scenes.Source: a scenes.Mesh in memory, a file that is read while it is drawn, a
// procedural scene, or a type of your own.
//
// Package camera, of lockstep/render/camera, places a [Camera] so that the mesh fills the frame, and the cameras of a
// turntable or of a flight; the fields of a Camera may also be set by hand.
// A [Renderer] draws one frame after the other into a [Picture], which is an image.Image and can hold depths.
// [Stats] counts the work of a frame.
//
// Keep a renderer for many frames: it owns workers and memory, and a frame allocates
// nothing once the largest frame has been drawn. [Renderer.SetOptions] changes what is drawn
// from frame to frame.
//
// # Conventions
//
// Pixel (i, j) counts from the top left and has its centre at
// (i+1/2, j+1/2). Screen coordinates are fixed point with 8 fractional bits.
// A pixel belongs to a triangle if its centre lies inside the snapped
// triangle by the top-left rule, decided exactly. Nearness e grows towards
// the eye. A pixel shows the nearest polygon; if two are equally near, it
// shows the polygon with the smaller payload. Colours are sRGB in options and
// pictures, and linear light in computations.
//
// # What a picture depends on
//
// A picture depends on the mesh, the camera and the options that name what is
// drawn (size, samples, culling, colours) and on nothing else: the
// number of workers, the instruction set, the balancing policy and the block
// size do not change a bit of it.
//
// # Errors
//
// Misuse is an error, not a panic or a deadlock: [ErrBusy], [ErrClosed], faults of options
// and cameras, contexts and sources that are nil. A source may call any method of the renderer
// that draws it: methods that draw return [ErrBusy], and [Renderer.Close] returns at once and
// takes effect after the frame. The source must not call methods of [Renderer.Machine], which
// panic because the machine is busy. If a source panics, the renderer stays usable. A frame that
// shows nothing gives [ErrBlank] and a complete picture. Errors of the source and of the context
// are wrapped, and the renderer can draw the next frame afterwards.
package render
