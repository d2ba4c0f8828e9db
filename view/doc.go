// Package view shows meshes in a browser, drawn by this machine's processors: a page that turns, cuts and measures them.
//
// The state of the page is a recipe, see package recipe. What moves is drawn in as much quality as the last movements
// had time for; what stands still is, byte for byte, the file that render writes for the recipe. The browser is told
// pictures and never the mesh, so the mesh may be larger than a browser takes, and the machine far away.
//
// server.go starts the HTTP server, handlers.go has its answers, socket.go the connection to a page, meshes.go which meshes
// there are, drop.go those that a page sends, session.go what one page is shown, quality.go how fine, pick.go what lies
// under a pixel, balance.go how movements were balanced, hello.go what a page is told of a mesh, messages.go the protocol, export.go pages without a server,
// takeaway.go what is asked for of them and of films; assets is the page.
package view
