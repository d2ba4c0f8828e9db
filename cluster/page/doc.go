// Package page shows films in a browser while they are drawn: their progress and remaining time, their frames as a
// grid, the latest picture, the nodes and their loads, and which node owns which part of the mesh. It also serves
// /metrics in the text format of Prometheus.
//
// The page is plain HTML with ES modules that are embedded in the program. Its content security policy forbids loading
// anything from other servers. Updates are server-sent events. Requests only read and never change anything.
//
// # Who may look
//
// If the page listens on the loopback interface, every program on this machine may read it. Requests that name another
// host are rejected. Otherwise a foreign web page could read this page through a browser (DNS rebinding).
//
// If the page listens on other addresses, every request needs a token. It is sent either as the parameter ?token=,
// which sets a cookie, or in a header, Authorization: Bearer.
//
// # Cost
//
// The page receives one message for each frame. Thumbnails are made one at a time and use at most a tenth of a core's
// time.
package page
