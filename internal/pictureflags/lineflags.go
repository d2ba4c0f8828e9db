package pictureflags

// annotateFlags are the flags for lines and text that are drawn over pictures.
type annotateFlags struct {
	Edges       bool           `group:"lines" help:"Draw silhouettes and the edges that smooth shading keeps sharp, see --crease."`
	Wireframe   bool           `group:"lines" help:"Draw the edges of all triangles."`
	Ground      *bool          `group:"lines" negatable:"" help:"Draw a soft shadow on the ground that the mesh stands on (where there is a background)."`
	Axes        bool           `group:"lines" help:"Draw the directions of x, y and z in the lower left corner."`
	Bounds      bool           `group:"lines" help:"Draw the bounding box with its lengths. Without --fit, the camera is fitted to this box."`
	ScaleBar    bool           `group:"lines" help:"Draw a round length in the lower right corner; in perspective it holds at the camera's target."`
	Legend      bool           `group:"lines" help:"Draw the colours of --field and their numbers on the right, beside the mesh."`
	Contours    contoursFlag   `group:"lines" placeholder:"N" help:"Draw lines where --field has round numbers: at most N of them."`
	LegendTitle string         `name:"legend-title" group:"lines" placeholder:"TEXT" help:"Title of the legend (the field's name)."`
	Dimension   dimensionsFlag `group:"lines" placeholder:"A,B" help:"Draw the distance between two points of the file: X,Y,Z,X,Y,Z. May be given several times."`
	Label       string         `group:"lines" placeholder:"TEXT" help:"Write TEXT into the upper left corner."`
	LineWidth   numberFlag     `group:"lines" default:"0" placeholder:"PX" help:"Width of lines in pixels (0: a six-hundredth of the height)."`
	LineColor   lineColorFlag  `group:"lines" default:"auto" placeholder:"COLOR" help:"Colour of lines and text (dark, or light on a dark background)."`
}
