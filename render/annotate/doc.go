// Package annotate draws over finished pictures: feature edges and silhouettes, wire frames, axes, the bounding box
// with its dimensions, a scale bar, the legend of a field, labels.
//
// Lines are antialiased by the distance of pixel centres from them. A line is hidden where the surface is nearer
// according to Picture.Depth. All results depend only on the mesh, the camera and the picture. So they have the same
// bits with any number of cores and on every processor. Products are rounded before they are added, so that no
// processor fuses the two operations.
package annotate
