// Package view shows meshes in a browser, drawn by this machine's processors: a page that turns, cuts and measures
// them.
//
// The state of the page is a recipe, see package recipe. While the user moves the mesh or the camera, the page shows
// movements: pictures in a quality that can be drawn in time. The quality depends on how long the last movements took.
// When nothing moves, the page shows a still picture. It has the same bytes as the file that the command render writes
// for the recipe.
//
// The browser receives pictures and never the mesh. So the mesh may be larger than a browser can hold, and the machine
// may be far away.
//
// These are the files of the package:
//
//   - server.go starts the HTTP server, handlers.go responds to its requests, and socket.go holds the connection to a
//     page.
//   - messages.go defines the protocol, and hello.go describes a mesh to a page.
//   - meshes.go holds the meshes of the server, and drop.go receives meshes from a page.
//   - session.go draws the pictures for one page. quality.go and forecast.go choose the quality of movements.
//   - pick.go finds the point of the mesh under a pixel, and balance.go reports how movements were balanced.
//   - export.go writes pages that need no server. takeaway.go sends such pages, and films, to the browser.
//   - The folder assets holds the page.
package view
