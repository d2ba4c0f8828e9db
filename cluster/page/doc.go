// Package page shows films in a browser while they are drawn: how far they are and how
// long they will take, their frames as a grid, the latest picture, the nodes and their
// loads, and which node owns which part of the mesh. It also answers /metrics in the text
// format of Prometheus.
//
// The page is plain HTML with ES modules that are part of the program. It loads nothing
// from anywhere else, and its content security policy forbids it to. News comes by
// server-sent events. All requests read: nothing can be changed by them.
//
// # Who may look
//
// On loopback, every program of this machine; requests for another host's name are refused,
// or a page elsewhere could have a browser read this one (DNS rebinding). On other addresses
// a token has to be known: it comes as ?token=, which is answered with a cookie, or as
// Authorization: Bearer.
//
// # What it costs
//
// Page follows the records of the cluster as the command that handed the film in does, which
// is a message for each frame. Thumbnails are made one at a time, for at most a tenth of a
// core's time.
package page
