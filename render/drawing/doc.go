// Package drawing makes drawings of meshes: the visible edges as lines, without pixels, for SVG and PDF.
//
// It needs a picture that says which triangle each pixel shows and that is larger than the drawing. A point of an edge
// is visible if a pixel beside it shows one of the edge's triangles. So a line ends within a pixel of that picture of
// where it should. A triangle that is less than three pixels high may not be shown by any pixel; the edges of such
// triangles are judged by depth. The surface itself is an outline, traced from the same picture. A drawing is a
// function of mesh, camera and size.
package drawing
