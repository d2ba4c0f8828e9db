package recipe

// A Picture is all that the pixels of a picture depend on. The zero value of a field is its default. Tags named flag
// are the flags of the command line: Args and Parse follow them.
type Picture struct {
	// Meshes are drawn together. The first one gives the up axis and the origin; those after it are placed in its
	// coordinates.
	Meshes []Mesh `json:"meshes,omitempty"`
	// Size is that of the whole picture in pixels; zero: 1920x1080.
	Size Size `json:"size,omitzero" flag:"size"`
	// Up is the axis that is up: x, y, z, -x, -y or -z; empty: by the format of the first mesh.
	Up string `json:"up,omitempty" flag:"up"`
	// Unit is that of lengths of files that state none: um, mm, cm, m, in or ft.
	Unit string `json:"unit,omitempty" flag:"unit"`
	// Time is when meshes are shown that their files animate: that many seconds after the clip of this name, or of this
	// number, counted from 1, has begun. No clip is the first one; a clip without a time is shown as it begins. nil and
	// no clip: meshes are shown as they stand.
	Clip   string   `json:"clip,omitempty" flag:"clip"`
	Time   *float64 `json:"time,omitempty" flag:"time"`
	Camera Camera   `json:"camera,omitzero"`
	Look   Look     `json:"look,omitzero"`
	Parts  Parts    `json:"parts,omitzero"`
	Cuts   Cuts     `json:"cuts,omitzero"`
	Lines  Lines    `json:"lines,omitzero"`
	// Crop is the part of the picture that is drawn; zero: all of it.
	Crop Rect `json:"crop,omitzero" flag:"crop"`
	// Trim leaves out rows and columns at the borders that show only the background.
	Trim bool `json:"trim,omitempty" flag:"trim"`
	// Sheet is the number of views of a contact sheet, 4 or 7; 0: one view. It is a drawing: its views are orthographic,
	// have one scale, and lie beside each other by third-angle projection or, with FirstAngle, by first-angle projection.
	Sheet      int  `json:"sheet,omitempty" flag:"contact-sheet"`
	FirstAngle bool `json:"firstAngle,omitempty" flag:"first-angle"`
}

// A Mesh is one of a picture, and its place there.
type Mesh struct {
	// File is the path of a file, "-" for standard input, or the name of a procedural scene, such as scene:knot.
	File string `json:"file"`
	// Format is the one that the file is in; empty: its contents decide.
	Format string `json:"format,omitempty"`
	// Up is the axis that is up in the file. A mesh after the first is turned to the picture's.
	Up string `json:"up,omitempty"`
	// Color replaces the mesh's own.
	Color Color `json:"color,omitempty"`
	// Scale, Rotate (degrees about x, y, z, in this order) and Move place the mesh, in this order; a zero Scale is 1.
	Scale  float64 `json:"scale,omitempty"`
	Rotate Point   `json:"rotate,omitzero"`
	Move   Point   `json:"move,omitzero"`
	// Against means that the mesh is not drawn: the first one is compared with it, where both are placed. It has the
	// field distance then, see Look.Field, and more triangles, so that large ones are measured in many places. One
	// mesh after the first may have this.
	Against bool `json:"against,omitempty"`
}

// A Camera says where the eye is. Either it looks in a direction, from as far as the picture needs (View, Fit), or
// it stands at Eye.
type Camera struct {
	// View is the direction; nil: 30,20 degrees, or 30,40 for things that are flat, see Camera.Fit.
	View *View `json:"view,omitempty" flag:"view"`
	// Zoom magnifies about the picture's centre; 0: 1.
	Zoom float64 `json:"zoom,omitempty" flag:"zoom"`
	// Projection is perspective (the default) or orthographic.
	Projection string `json:"projection,omitempty" flag:"projection"`
	// Fov is the vertical field of view in degrees; 0: 30.
	Fov float64 `json:"fov,omitempty" flag:"fov"`
	// Fit is tight (by the projected vertices, the default), or box: by the corners of the bounding box, the default
	// beside Lines.Bounds. A tight fit shows the shadow on the ground, too, as far as it takes at most a fifth of the
	// picture, and sees things that are less high than 15 % of their width from higher up.
	Fit string `json:"fit,omitempty" flag:"fit"`
	// Eye is where the eye is, in coordinates of the first file, nil: see View.
	Eye *Point `json:"eye,omitempty" flag:"eye"`
	// Target is the point in the middle of the picture; nil: the middle of the mesh.
	Target *Point `json:"target,omitempty" flag:"target"`
	// Upward is the direction that is up in the picture, beside Eye; nil: the up axis.
	Upward *Point `json:"upward,omitempty" flag:"camera-up"`
	// Height is that of an orthographic picture in units of the mesh, beside Eye; 0: as it fits.
	Height float64 `json:"height,omitempty" flag:"camera-height"`
	// Shift is where the view's axis meets the picture, beside Eye: from the middle to the right and up, in heights
	// of the picture.
	Shift [2]float64 `json:"shift,omitzero" flag:"camera-shift"`
}

// A Look says how surfaces look.
type Look struct {
	// Shading is smooth (the default) or flat.
	Shading string `json:"shading,omitempty" flag:"shading"`
	// Light is studio (the default) or headlight: one light at the eye, flat and without occlusion.
	Light string `json:"light,omitempty" flag:"light"`
	// Color is that of the first mesh: a colour, source (its own, the default), or facing: fronts and backs.
	Color Color `json:"color,omitempty" flag:"color"`
	// Material is what surfaces are made of whose file does not say how they mirror: plaster (the default), metal,
	// plastic, glass or clay. Metallic and Roughness, 0 to 1, count instead of its own; with plaster they are those of
	// plastic.
	Material  string   `json:"material,omitempty" flag:"material"`
	Metallic  *float64 `json:"metallic,omitempty" flag:"metallic"`
	Roughness *float64 `json:"roughness,omitempty" flag:"roughness"`
	// Background is a colour, gradient: light, and darker towards the bottom, or none: transparent. The default is
	// gradient; under a headlight, none; on a sheet a plain light grey.
	Background Color `json:"background,omitempty" flag:"background"`
	// Cull leaves faces out: none (the default), back or front.
	Cull string `json:"cull,omitempty" flag:"cull"`
	// Field colours the mesh by its numbers of this name, by Colormap (viridis) from Range[0] to Range[1]; an
	// equal pair stands for the least and the greatest number. Beside a mesh to compare with, see Mesh.Against, the
	// default is the field distance, by coolwarm, from as far behind the surface as before it.
	Field    string     `json:"field,omitempty" flag:"field"`
	Colormap string     `json:"colormap,omitempty" flag:"colormap"`
	Range    [2]float64 `json:"range,omitzero" flag:"range"`
	// PointSize is the diameter of points of clouds; zero: as large as their neighbours are far.
	PointSize PointSize `json:"pointSize,omitzero" flag:"point-size"`
	// Crease is the sharpest edge that smooth shading rounds off, in degrees; 0: 35.
	Crease float64 `json:"crease,omitempty" flag:"crease"`
	// Occlusion is on (the default) or off: less light where the surface around hides the sky.
	Occlusion string `json:"occlusion,omitempty" flag:"occlusion"`
	// Samples is the number of samples a pixel, 1, 4 or 16; 0: 4, 16 for single pictures in the light of the studio of at
	// most 2,100,000 pixels and a million triangles, and 1 where the picture is too large for 4.
	Samples int `json:"samples,omitempty" flag:"samples"`
}

// Cuts take parts of the mesh away.
type Cuts struct {
	Sections []Plane `json:"sections,omitempty" flag:"section"`
	// Box keeps what lies within; zero: there is none.
	Box Box `json:"box,omitzero" flag:"clip-box"`
	// Color is that of the cuts, or open: they are not closed. The default is c9885b.
	Color Color `json:"color,omitempty" flag:"section-color"`
}

// Lines are lines, text and the shadow, which are drawn over the picture.
type Lines struct {
	Edges     bool `json:"edges,omitempty" flag:"edges"`         // silhouettes and sharp edges, see Look.Crease
	Wireframe bool `json:"wireframe,omitempty" flag:"wireframe"` // edges of all triangles
	// Ground is a soft shadow on the ground; nil: where there is a background and the studio's light.
	Ground   *bool `json:"ground,omitempty" flag:"ground"`
	Axes     bool  `json:"axes,omitempty" flag:"axes"`          // directions of x, y and z
	Bounds   bool  `json:"bounds,omitempty" flag:"bounds"`      // the bounding box with its lengths
	ScaleBar bool  `json:"scaleBar,omitempty" flag:"scale-bar"` // a round length
	Legend   bool  `json:"legend,omitempty" flag:"legend"`      // the colours of Look.Field and their numbers
	// Contours is how many round numbers of Look.Field have lines on the surface, at most; 0: none.
	Contours int `json:"contours,omitempty" flag:"contours"`
	// LegendTitle stands above the legend; empty: the field's name, and the unit of a length.
	LegendTitle string `json:"legendTitle,omitempty" flag:"legend-title"`
	// Dimensions are distances between two points, in coordinates of the file.
	Dimensions []Dimension `json:"dimensions,omitempty" flag:"dimension"`
	// Label is written into the upper left corner.
	Label string `json:"label,omitempty" flag:"label"`
	// Width is that of lines in pixels; 0: a six-hundredth of the height.
	Width float64 `json:"width,omitempty" flag:"line-width"`
	// Color is that of lines and text; empty: dark, or light on a dark background.
	Color Color `json:"color,omitempty" flag:"line-color"`
}

// An Output is where pictures go. It is no part of a recipe.
type Output struct {
	// File is the name of a file or folder; - is standard output.
	File string `json:"file,omitempty"`
	// Format is png, jpeg, tiff, bmp or webp; empty: by the name.
	Format string `json:"format,omitempty"`
	// DPI is the resolution that files state, in dots an inch; 0: none.
	DPI int `json:"dpi,omitempty"`
	// Small takes more time for smaller files.
	Small bool `json:"small,omitempty"`
}
