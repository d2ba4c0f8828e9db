// Package recipe describes pictures and animations as values: everything that their pixels depend on, and nothing else.
//
// The command line, --config, the text chunk in a PNG, the job of a film and a call of this library all make the same
// type, Picture. It is a plain struct in which zero values mean defaults. It has a JSON form, a command line (Args,
// Parse), a normal form, and a hash. For the hash, the contents of files replace their names. The same recipe gives
// the same pixels on every machine.
//
// Settings that do not change any pixel are not part of a recipe: names and formats of outputs (Output), numbers of
// workers, instruction sets, limits of memory, and whether damaged files are refused.
//
// The packages under internal do the work: they read meshes, choose parts, make cuts, fit cameras, and so on. They
// know no recipes; their parameters are plain values. The methods of this package pass them what a recipe asks for.
package recipe

// A Picture holds everything on which the pixels of a picture depend. Zero values of fields mean defaults. The struct
// tags named flag are the flags of the command line, which Args and Parse use.
type Picture struct {
	// Meshes are drawn together. The first mesh determines the up axis and the origin. The other meshes are placed in
	// its coordinates.
	Meshes []Mesh `json:"meshes,omitempty"`
	// Size is the size of the whole picture in pixels. The zero value means 1920x1080.
	Size Size `json:"size,omitzero" flag:"size"`
	// Up is the axis that is up: x, y, z, -x, -y or -z. If it is empty, the axis comes from the file of the first mesh.
	Up string `json:"up,omitempty" flag:"up"`
	// Unit is the unit of files that state none: um, mm, cm, m, in or ft.
	Unit string `json:"unit,omitempty" flag:"unit"`
	// Clip and Time choose the moment at which animated meshes are shown. Clip is the name or the number of a clip,
	// counted from 1; empty means the first clip. Time is in seconds after the start of the clip; nil means its start.
	// If both are missing, meshes are shown at rest.
	Clip   string   `json:"clip,omitempty" flag:"clip"`
	Time   *float64 `json:"time,omitempty" flag:"time"`
	Camera Camera   `json:"camera,omitzero"`
	Look   Look     `json:"look,omitzero"`
	Parts  Parts    `json:"parts,omitzero"`
	Cuts   Cuts     `json:"cuts,omitzero"`
	Lines  Lines    `json:"lines,omitzero"`
	// Crop is the part of the picture that is drawn. The zero value means the whole picture.
	Crop Rect `json:"crop,omitzero" flag:"crop"`
	// Trim leaves out rows and columns at the borders that show only the background.
	Trim bool `json:"trim,omitempty" flag:"trim"`
	// Sheet is the number of views of a contact sheet, 4 or 7. 0 means a single view. The views of a sheet are
	// orthographic and have the same scale. They are arranged in third-angle projection or, with FirstAngle, in
	// first-angle projection.
	Sheet      int  `json:"sheet,omitempty" flag:"contact-sheet"`
	FirstAngle bool `json:"firstAngle,omitempty" flag:"first-angle"`
}

// A Mesh is a mesh of a picture and its placement.
type Mesh struct {
	// File is the path of a file, "-" for standard input, or the name of a procedural scene, such as scene:knot.
	File string `json:"file"`
	// Format is the format of the file. If it is empty, its contents determine it.
	Format string `json:"format,omitempty"`
	// Up is the axis that is up in the file. Meshes after the first are turned so that this axis is up in the picture.
	Up string `json:"up,omitempty"`
	// Color is used instead of the colours of the mesh.
	Color Color `json:"color,omitempty"`
	// Scale, Rotate and Move place the mesh, in this order. Rotate holds degrees about x, y and z, in this order. A
	// zero Scale means 1.
	Scale  float64 `json:"scale,omitempty"`
	Rotate Point   `json:"rotate,omitzero"`
	Move   Point   `json:"move,omitzero"`
	// Against means that the first mesh is compared with this mesh, which is not drawn. The first mesh gets the field
	// distance (see Look.Field): the distances from this mesh after both were placed. It is also divided into more
	// triangles, because large triangles have to be measured at many points. At most one mesh may have Against, and it
	// must not be the first.
	Against bool `json:"against,omitempty"`
}

// A Camera determines the position of the eye: either by the direction View and a distance that fits the mesh into the
// picture (see Fit), or by Eye.
type Camera struct {
	// View is the direction of view. If it is nil, the direction is 30,20 degrees, or 30,40 for flat meshes, see Fit.
	View *View `json:"view,omitempty" flag:"view"`
	// Zoom is the magnification about the centre of the picture. 0 means 1.
	Zoom float64 `json:"zoom,omitempty" flag:"zoom"`
	// Projection is perspective (the default) or orthographic.
	Projection string `json:"projection,omitempty" flag:"projection"`
	// Fov is the vertical field of view in degrees. 0 means 30.
	Fov float64 `json:"fov,omitempty" flag:"fov"`
	// Fit is tight or box. With tight (the default), the projected vertices fill the picture. With box, the corners of
	// the bounding box fill it. With Lines.Bounds, the default is box.
	//
	// A tight fit also shows the shadow on the ground, if the shadow takes at most a fifth of the picture. With a
	// tight fit, the default View looks from higher up if the height of the mesh is less than 15 % of its width.
	Fit string `json:"fit,omitempty" flag:"fit"`
	// Eye is the position of the eye, in coordinates of the first file. If it is nil, View determines the position.
	Eye *Point `json:"eye,omitempty" flag:"eye"`
	// Target is the point in the middle of the picture. Nil means the middle of the mesh.
	Target *Point `json:"target,omitempty" flag:"target"`
	// Upward is the direction that is up in the picture, if Eye is given. Nil means the up axis.
	Upward *Point `json:"upward,omitempty" flag:"camera-up"`
	// Height is the height of an orthographic picture in units of the mesh, if Eye is given. 0 means the height that
	// shows the whole mesh.
	Height float64 `json:"height,omitempty" flag:"camera-height"`
	// Shift is the point at which the axis of the camera meets the picture, if Eye is given. Its coordinates are the
	// distances to the right of the centre and above the centre, in heights of the picture.
	Shift [2]float64 `json:"shift,omitzero" flag:"camera-shift"`
}

// A Look determines how surfaces look.
type Look struct {
	// Shading is smooth (the default) or flat.
	Shading string `json:"shading,omitempty" flag:"shading"`
	// Light is studio (the default) or headlight. A headlight is one light at the eye. It has flat shading and no
	// occlusion.
	Light string `json:"light,omitempty" flag:"light"`
	// Color is the colour of the first mesh, or one of two words: source (the default) for the colours of the mesh
	// itself, and facing for different colours of front and back faces.
	Color Color `json:"color,omitempty" flag:"color"`
	// Material is the material of surfaces without one in the file: plaster (the default), metal, plastic, glass or
	// clay. Metallic and Roughness, 0 to 1, replace the values of the material. If one of them is set and Material is
	// plaster, plastic is used instead of plaster.
	Material  string   `json:"material,omitempty" flag:"material"`
	Metallic  *float64 `json:"metallic,omitempty" flag:"metallic"`
	Roughness *float64 `json:"roughness,omitempty" flag:"roughness"`
	// Background is a colour or one of two words: gradient for a light colour that gets darker towards the bottom, and
	// none for transparent. The default is gradient; under a headlight it is none, and on a sheet a plain light grey.
	Background Color `json:"background,omitempty" flag:"background"`
	// Cull chooses faces that are left out: none (the default), back, front, or material for the back faces of
	// one-sided materials. With material, all faces are drawn if the mesh is cut, the light is a headlight, or shading
	// is flat without occlusion.
	Cull string `json:"cull,omitempty" flag:"cull"`
	// Field is the name of the field that colours the mesh. Colormap is the name of the map of colours for the field's
	// numbers from Range[0] to Range[1], by default "viridis". If Range[0] equals Range[1], the range is from the least
	// number of the field to the largest.
	//
	// With a mesh to compare with (see Mesh.Against), the defaults are the field "distance", the map "coolwarm" and a
	// range that is symmetric about 0.
	Field    string     `json:"field,omitempty" flag:"field"`
	Colormap string     `json:"colormap,omitempty" flag:"colormap"`
	Range    [2]float64 `json:"range,omitzero" flag:"range"`
	// PointSize is the diameter of points of clouds. The zero value means the distance of neighbouring points.
	PointSize PointSize `json:"pointSize,omitzero" flag:"point-size"`
	// Crease is the angle in degrees of the sharpest edge that smooth shading rounds off. 0 means 35.
	Crease float64 `json:"crease,omitempty" flag:"crease"`
	// Occlusion is on (the default) or off. It darkens the surface where its surroundings hide the sky.
	Occlusion string `json:"occlusion,omitempty" flag:"occlusion"`
	// EyeDome is on (the default) or off. It darkens points of large clouds that lie behind neighbouring points of the
	// picture. It has no effect on clouds that are drawn as octahedra.
	EyeDome string `json:"eyeDome,omitempty" flag:"eye-dome"`
	// Samples is the number of samples per pixel: 1, 4 or 16. The default, 0, means:
	//
	//   - 16 for single pictures under the studio light with at most 2,100,000 pixels and a million triangles
	//   - 1 if the picture is too large for 4
	//   - 4 otherwise
	Samples int `json:"samples,omitempty" flag:"samples"`
}

// Cuts holds the sections and the box that cut the mesh.
type Cuts struct {
	Sections []Plane `json:"sections,omitempty" flag:"section" split:";"`
	// Box is a box outside which everything is cut off. The zero value means that nothing is cut off.
	Box Box `json:"box,omitzero" flag:"clip-box"`
	// Color is the colour of the cut faces. The word open leaves the cuts open. The default is c9885b.
	Color Color `json:"color,omitempty" flag:"section-color"`
}

// Parts determines which parts of the meshes are shown, and in which colours.
type Parts struct {
	// Colors holds the colours of parts. If several match the same part, the last of them is used.
	Colors []PartColor `json:"colors,omitempty" flag:"part-color"`
	// Only holds the parts that are shown; empty means all. Hide holds parts that are not shown, even if they are in
	// Only.
	Only []Part `json:"only,omitempty" flag:"only"`
	Hide []Part `json:"hide,omitempty" flag:"hide"`
}

// Lines determines the lines and text over the picture, and the shadow on the ground.
type Lines struct {
	Edges     bool `json:"edges,omitempty" flag:"edges"`         // silhouettes and sharp edges, see Look.Crease
	Wireframe bool `json:"wireframe,omitempty" flag:"wireframe"` // edges of all triangles
	// Ground is a soft shadow on the ground. Nil means a shadow if there is a background and the studio light, except
	// on a sheet.
	Ground   *bool `json:"ground,omitempty" flag:"ground"`
	Axes     bool  `json:"axes,omitempty" flag:"axes"`          // directions of x, y and z
	Bounds   bool  `json:"bounds,omitempty" flag:"bounds"`      // the bounding box with its lengths
	ScaleBar bool  `json:"scaleBar,omitempty" flag:"scale-bar"` // a bar with a round length
	Legend   bool  `json:"legend,omitempty" flag:"legend"`      // the colours and numbers of Look.Field
	// Contours is the greatest number of contour lines of Look.Field. The lines are at round values. 0 means no lines.
	Contours int `json:"contours,omitempty" flag:"contours"`
	// LegendTitle is written above the legend. The default is the name of the field, with the unit if the field is a
	// length.
	LegendTitle string `json:"legendTitle,omitempty" flag:"legend-title"`
	// Dimensions are pairs of points, in coordinates of the file. The distance of each pair is drawn with its length.
	Dimensions []Dimension `json:"dimensions,omitempty" flag:"dimension" split:";"`
	// Label is written into the upper left corner.
	Label string `json:"label,omitempty" flag:"label"`
	// Width is the width of lines in pixels. 0 means 1/600 of the height of the picture.
	Width float64 `json:"width,omitempty" flag:"line-width"`
	// Color is the colour of lines and text. The default is dark, or light on a dark background.
	Color Color `json:"color,omitempty" flag:"line-color"`
}

// An Output determines how pictures are written. It is not part of a recipe.
type Output struct {
	// File is the name of a file or folder; - is standard output.
	File string `json:"file,omitempty"`
	// Format is png, jpeg, tiff, bmp or webp. If it is empty, the name of the file determines it.
	Format string `json:"format,omitempty"`
	// DPI is the resolution that files state, in dots per inch. 0 means none.
	DPI int `json:"dpi,omitempty"`
	// Small means that files are compressed more, which takes more time.
	Small bool `json:"small,omitempty"`
}
