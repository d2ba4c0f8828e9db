// Package drawing makes drawings of meshes: the visible edges as lines, without pixels, for SVG and PDF.
//
// It needs a picture of the mesh that is larger than the drawing. For each pixel, the picture states which triangle
// the pixel shows. A point of an edge is visible if a pixel beside the point shows one of the edge's triangles. So
// the ends of visible lines are exact to a pixel of this picture. Pixels may miss a triangle that is less than three
// pixels high. At the edges of such triangles, depths are compared instead.
//
// The area that the surface covers is filled. Its outline is traced from the same picture. A drawing depends only on
// the mesh, the camera and the size.
package drawing
