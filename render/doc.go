// Package render turns meshes into pictures on the processor's vector lanes and cores.
//
// # From a mesh to a picture
//
// This code draws a picture with the look of the program cmd/render: studio lights on a smooth surface, ambient
// occlusion, four samples a pixel, and the mesh in the middle of the frame.
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
// [Options.Studio] sets that look, and [NewSurface] finds the normals that the look needs. Without it, pictures are
// plain: one light at the eye, flat triangles, one sample a pixel, a transparent background. Any scenes.Source can be
// drawn plainly: a scenes.Mesh in memory, a file that is read while it is drawn, a procedural scene, or a type of your
// own.
//
// Package lockstep/render/camera places a [Camera] so that the mesh fills the frame, and makes the cameras of
// turntables and flights. The fields of a Camera may also be set by hand. A [Renderer] draws one frame after the other
// into a [Picture], which is an image.Image and can hold depths. [Stats] counts the work of a frame.
//
// Keep a renderer for many frames: it owns workers and memory, and a frame allocates nothing once the largest frame
// has been drawn. [Renderer.SetOptions] changes what is drawn from frame to frame.
//
// # Conventions
//
// Pixel (i, j) counts from the top left and has its centre at (i+1/2, j+1/2). Screen coordinates are fixed point with
// 8 fractional bits; vertices are rounded (snapped) to them. A pixel belongs to a triangle if its centre lies inside
// the snapped triangle by the top-left rule, decided exactly.
//
// Each point has a nearness, which grows towards the eye. A pixel shows the nearest polygon. Of two equally near
// polygons, it shows the one with the smaller payload: its colour, or its triangle's number. Colours are sRGB in
// options and pictures, and linear light in computations.
//
// # What a picture depends on
//
// A picture depends on the mesh, the camera and the options that name what is drawn: size, samples, culling, colours.
// It has the same bits for any number of workers, instruction set, balancing policy and block size.
//
// # Errors
//
// Misuse is an error, not a panic or a deadlock: [ErrBusy], [ErrClosed], faults of options and cameras, contexts and
// sources that are nil. A frame that shows nothing gives [ErrBlank] and a complete picture. Errors of the source and
// of the context are wrapped. The renderer can draw the next frame after any of them.
//
// A source may call methods of the renderer that draws it. Methods that draw then return [ErrBusy]. [Renderer.Close]
// returns at once and takes effect after the frame. Methods of [Renderer.Machine] panic, because the machine is busy.
// If a source panics, the renderer stays usable.
package render
