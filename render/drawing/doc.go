// Package drawing makes drawings of meshes: the visible edges as lines, without pixels, for SVG and PDF.
//
// It needs a picture that says which triangle each pixel shows and that is larger than the drawing. A point of an edge
// is visible if a pixel beside it shows one of the edge's triangles. So the ends of visible lines are exact to a pixel
// of this picture. Pixels may miss a triangle that is less than three pixels high; whether its edges are visible is
// found by comparing depths. The surface itself is an outline, traced from the same picture. A drawing depends only on
// the mesh, the camera and the size.
package drawing
