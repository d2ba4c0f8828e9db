// Package page shows films in a browser while they are drawn: their progress and remaining time, their frames as a
// grid, the latest picture, the nodes and their loads, and which node owns which part of the mesh. It also serves
// /metrics in the text format of Prometheus.
//
// The page is plain HTML with ES modules that are embedded in the program. It loads nothing from other servers, which
// its content security policy enforces. Updates are server-sent events. Requests only read and never change anything.
//
// # Who may look
//
// If the page listens on the loopback interface, every program of this machine may read it. Requests for another host
// name are rejected, because otherwise a foreign web page could read this page through a browser (DNS rebinding). If
// the page listens on other addresses, every request needs a token: as ?token=, which sets a cookie, or as
// Authorization: Bearer.
//
// # Cost
//
// The page follows the records of the cluster in the same way as the submitter. This takes one message for each frame.
// Thumbnails are made one at a time and use at most a tenth of a core's time.
package page
