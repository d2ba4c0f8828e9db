// Package annotate draws over finished pictures: feature edges and silhouettes, wire frames, axes, the bounding box
// with its dimensions, a scale bar, the legend of a field, labels.
//
// Lines are antialiased: the share of a pixel that a line covers is computed from the distance of the pixel's centre.
// A line is hidden where the surface is nearer according to Picture.Depth.
//
// Results depend only on the mesh, the camera and the picture. They have the same bits with any number of cores and on
// every processor. For that, products are rounded before they are added, which prevents fused multiply-add.
package annotate
