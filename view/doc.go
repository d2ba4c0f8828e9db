// Package view shows meshes in a browser, drawn by this machine's processors: a page that turns, cuts and measures
// them.
//
// The state of the page is a recipe, see package recipe. While the user moves the mesh or the camera, the page shows
// movements: pictures in a quality that can be drawn in time, chosen by how long the last movements took. When nothing
// moves, it shows a still picture, which has the same bytes as the file that the command render writes for the recipe.
// The browser receives pictures and never the mesh, so the mesh may be larger than a browser can hold, and the machine
// may be far away.
//
// server.go starts the HTTP server, handlers.go answers its requests, socket.go keeps the connection to a page,
// meshes.go has the meshes, drop.go the meshes that a page sends, session.go draws what one page shows, quality.go and
// forecast.go choose the quality of movements, pick.go finds what lies under a pixel, balance.go reports how movements
// were balanced, hello.go describes a mesh to a page, messages.go has the protocol, export.go writes pages that need no
// server, takeaway.go sends such pages and films to the browser; assets holds the page.
package view
