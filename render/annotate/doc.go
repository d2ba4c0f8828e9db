// Package annotate draws over finished pictures: feature edges and silhouettes, wire frames, axes, the bounding box
// with its dimensions, a scale bar, the legend of a field, labels.
//
// Lines are antialiased by the distance of pixel centres from them. They are hidden where Picture.Depth says that the
// surface is nearer. Everything is a function of the mesh, the camera and the picture, so the result has the same bits
// with any number of cores and on every processor. Products are rounded before they are added, so that no processor
// fuses the two operations.
package annotate
