package pictureflags

import "strings"

// ForeignFlags maps flags of other programs for pictures and meshes to our flags with the same effect. It also maps
// synonyms to our flags.
var ForeignFlags = meaningByWord(map[string]string{
	"--size WxH":                       "width height w resize resolution res dimensions image-size img-size imgsize window-size output-size geometry pixels size-x size-y",
	"--background COLOR":               "bg background-color background-colour bgcolor bg-color clear-color backdrop",
	"--background none":                "transparent transparency alpha no-background nobg transparent-background",
	"--color COLOR":                    "colour model-color mesh-color object-color material-color diffuse surface-color",
	"--samples 16":                     "antialias anti-alias antialiasing anti-aliasing aa msaa ssaa spp supersample supersampling multisample quality high-quality",
	"--view AZ,EL":                     "angle angles yaw pitch azimuth elevation azim elev direction camera-direction view-direction theta phi viewpoint viewangle view-angle",
	"--up AXIS":                        "up-axis upaxis up-vector view-up camera-view-up roll orientation",
	"--up y":                           "y-up yup",
	"--up z":                           "z-up zup",
	"--eye X,Y,Z":                      "camera-position camera-pos cam-pos campos position from look-from lookfrom eye-position camera-location",
	"--target X,Y,Z, with --eye X,Y,Z": "look-at lookat camera-target camera-focal-point focal-point camera-lookat",
	"--fov DEG":                        "field-of-view view-field camera-view-angle focal-length",
	"--zoom F":                         "scale magnify camera-zoom-factor camera-zoom",
	"--projection orthographic":        "ortho orthographic orthogonal camera-orthographic parallel-projection",
	"--projection perspective":         "perspective persp",
	"--wireframe":                      "wire wires wire-frame mesh-lines",
	"--edges":                          "edge outline outlines silhouette silhouettes feature-edges show-edges",
	"--output FILE":                    "out outfile out-file output-file dest destination save save-as",
	"--output DIR":                     "outdir out-dir output-dir output-folder output-directory out-folder",
	"MESH alone, as in render part.stl -o part.png": "input in infile in-file input-file file mesh model object stl",
	"--workers N":                         "threads thread jobs cores cpus nproc num-threads max-threads j t",
	"--occlusion on":                      "ao ssao ambient-occlusion ambient",
	"--occlusion off":                     "no-occlusion no-ao",
	"--eye-dome on":                       "edl eye-dome-lighting eyedome edl-enabled",
	"--shading smooth":                    "smooth gouraud phong smooth-shading smooth-normals",
	"--shading flat":                      "flat flat-shading no-smooth",
	"--light headlight":                   "headlamp camera-light",
	"--ground":                            "floor shadow shadows ground-plane plane-shadow",
	"--axes":                              "axis show-axes triad",
	"--bounds":                            "bbox bounding-box show-bounds",
	"--label TEXT":                        "title text caption annotation annotate",
	"--field NAME":                        "scalar scalars scalar-field color-by colour-by coloring-array array attribute",
	"--colormap MAP":                      "cmap palette lut color-map colour-map",
	"--range LO,HI":                       "clim vmin vmax scalar-range value-range",
	"--contours 10":                       "contour iso-lines isolines contour-lines levels",
	"--legend":                            "colorbar color-bar colourbar scalarbar scalar-bar",
	"--section PLANE":                     "cut slice clipping clip-plane cross-section plane",
	"--crop X,Y,WxH":                      "region roi viewport",
	"--depth FILE":                        "depth-map depthmap zbuffer z-buffer",
	"--normals FILE":                      "normal-map normalmap",
	"--ids FILE":                          "id-map object-id segmentation",
	"--cull back":                         "backface backface-culling back-face-culling cull-backfaces",
	"--cull none":                         "double-sided two-sided",
	"--cull material":                     "one-sided single-sided",
	"--fit tight":                         "autofit auto-fit fit-view zoom-fit fill",
	"--format KIND":                       "type output-type output-format image-format input-format filetype ext png jpg jpeg tiff",
	"--dpi N":                             "density ppi",
	"render convert IN OUT":               "convert",
	"renderfarm status -o DIR":            "status",
	"renderfarm retry -o DIR":             "retry",
	"renderfarm cancel -o DIR":            "cancel",
	"--small":                             "compress compression optimize",
	"--stats text":                        "verbose timing statistics v",
	"--quiet":                             "silent no-warnings",
	"--contact-sheet 4":                   "multi-view multiview",
	"--listen ADDR":                       "port host bind",
	"render info MESH, which lists them":  "info fields list-fields arrays",
	"--unit mm":                           "units length-unit",
	"--recursive":                         "recurse subfolders subdirs",
	"--turntable":                         "turn spin turn-table turnaround animate animation",
	"--fps N":                             "framerate frame-rate",
	"--frames N and --fps N":              "duration seconds length",
	"--keyframes FILE":                    "path camera-path keys",
	"render animate -o FILE.gif":          "gif apng mp4 webm video movie",
	"no flag: outputs replace older ones": "overwrite force yes clobber",
	"no flag: processors draw, and no window opens":             "gpu cuda egl headless offscreen off-screen no-gui nogui no-window",
	"--view AZ,EL for another view, or --add MESH:rotate=X,Y,Z": "rotate rotation rot rotate-x rotate-y rotate-z rx ry rz",
	"--add MESH:move=X,Y,Z":                                     "translate translation move offset",
})

// meaningByWord inverts a map from flags to their synonyms. The synonyms of a flag are words separated by spaces.
func meaningByWord(words map[string]string) map[string]string {
	meanings := map[string]string{}
	for meaning, all := range words {
		for word := range strings.FieldsSeq(all) {
			meanings[word] = meaning
		}
	}
	return meanings
}
