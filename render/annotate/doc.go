// Package annotate draws over finished pictures: feature edges and silhouettes, wire frames, axes, the bounding box
// with its dimensions, a scale bar, the legend of a field, labels.
//
// A pixel's part of a line depends on the distance of the pixel's centre from the line, so lines are antialiased. A
// line is hidden where the surface is nearer according to Picture.Depth.
//
// Results depend only on the mesh, the camera and the picture. They have the same bits with any number of cores and on
// every processor. For that, products are rounded before they are added, which prevents fused multiply-add.
package annotate
