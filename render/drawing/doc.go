// Package drawing makes drawings of meshes: the visible edges as lines, without pixels, for SVG and PDF.
//
// A picture that says which triangle each pixel shows, and that is larger than the drawing, tells which part of an edge
// is visible: a point of an edge is visible if a pixel beside it shows one of the edge's triangles. So lines end within
// a pixel of that picture of where they should. No pixel may show a triangle that is less than three pixels high; the
// edges of such triangles are judged by depth. The surface itself is an outline, traced from the same picture. A
// drawing is a function of mesh, camera and size.
package drawing
