// Package drawing makes drawings of meshes: the visible edges as lines, without pixels, for SVG and PDF.
//
// Which part of an edge is seen comes from a picture that says which triangle each pixel shows, drawn larger than the
// drawing: a piece of an edge is visible where one of its triangles is, beside it. So a line ends within a pixel of that
// picture of where it should, and lines of triangles smaller than two pixels, which may show nowhere, are judged by depth.
// The surface itself is an outline, traced from the same picture. A drawing is a function of mesh, camera and size.
package drawing
