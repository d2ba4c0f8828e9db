package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"lockstep/internal/cli"
)

// findFFmpeg returns an error if the program ffmpeg is not installed. Videos need it.
func findFFmpeg(name string) error {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return cli.Usagef("%s: videos are written by ffmpeg, which is not installed; .gif and .png need nothing", name)
	}
	return nil
}

// An ffmpeg is a clipWriter that makes a video through the program ffmpeg.
type ffmpeg struct {
	command  *exec.Cmd
	frames   io.WriteCloser
	messages bytes.Buffer

	width, height int
	transparent   bool
	pix           []byte // pixels of a frame in the pixel format for ffmpeg
}

// A video describes the video to ffmpeg.
type video struct {
	kind          string // .mp4 or .webm
	width, height int
	fps           fpsFlag
	transparent   bool
}

// startFFmpeg starts the program ffmpeg. The program writes to out, and ends when ctx ends. Transparent pixels stay
// transparent in WebM. In MP4, which has no transparency, they become white.
func startFFmpeg(ctx context.Context, out io.Writer, v video) (*ffmpeg, error) {
	f := &ffmpeg{width: v.width, height: v.height, transparent: v.transparent && v.kind == ".webm"}
	layout, planes := "rgb24", "yuv420p"
	if f.transparent {
		layout, planes = "rgba", "yuva420p"
	}
	// The colour space is stated because players otherwise assume Rec. 709 for large videos and Rec. 601 for small
	// videos. The conversion is stated because ffmpeg converts RGB to Rec. 601 by default.
	args := []string{"-loglevel", "error", "-f", "rawvideo", "-pixel_format", layout, "-video_size", fmt.Sprintf("%dx%d", roundUpEven(v.width), roundUpEven(v.height)),
		"-framerate", fmt.Sprintf("%d/%d", v.fps.num, v.fps.den), "-i", "pipe:0",
		"-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int", "-pix_fmt", planes,
		"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-color_range", "tv"}
	if v.kind == ".mp4" {
		args = append(args, "-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4")
	} else {
		// The VP9 encoder cannot combine transparency with frames that it encodes out of order (alternate reference
		// frames). So -auto-alt-ref 0 turns these frames off.
		args = append(args, "-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "30", "-auto-alt-ref", "0", "-f", "webm")
	}
	f.command = exec.CommandContext(ctx, "ffmpeg", append(args, "pipe:1")...)
	f.command.Stdout, f.command.Stderr = out, &f.messages
	var err error
	if f.frames, err = f.command.StdinPipe(); err != nil {
		return nil, err
	}
	return f, f.command.Start()
}

// roundUpEven rounds n up to an even number. Videos need even sizes, because they halve the resolution of colours.
func roundUpEven(n int) int { return n + n&1 }

// Frame passes a frame of straight-alpha RGBA pixels to ffmpeg.
func (f *ffmpeg) Frame(pix []byte) error {
	f.pix = videoFrame(f.pix[:0], pix, f.width, f.height, f.transparent)
	if _, err := f.frames.Write(f.pix); err != nil {
		f.command.Wait()
		return f.errorWithMessage(err)
	}
	return nil
}

// videoFrame appends the pixels of a frame to dst. A video has an even number of rows and columns. If necessary,
// videoFrame repeats the last row or column. The pixels are RGBA if the video is transparent. Otherwise they are RGB on
// white.
func videoFrame(dst, pix []byte, width, height int, transparent bool) []byte {
	for y := range roundUpEven(height) {
		y = min(y, height-1)
		for x := range roundUpEven(width) {
			x = min(x, width-1)
			p := pix[4*(y*width+x):][:4]
			switch {
			case !transparent:
				a := uint32(p[3])
				for _, v := range p[:3] {
					dst = append(dst, uint8((uint32(v)*a+255*(255-a)+127)/255))
				}
			case p[3] == 0:
				dst = append(dst, colorOfTransparentPixel(pix, x, y, width, height)...)
			default:
				dst = append(dst, p...)
			}
		}
	}
	return dst
}

// colorOfTransparentPixel returns a colour for a transparent pixel of a video, with opacity 0. In a video, two by two
// pixels share a colour. The result is the colour of one of these four pixels, if possible of a pixel that is not
// transparent.
func colorOfTransparentPixel(pix []byte, x, y, width, height int) []byte {
	for j := y &^ 1; j <= min(y|1, height-1); j++ {
		for i := x &^ 1; i <= min(x|1, width-1); i++ {
			if p := pix[4*(j*width+i):][:4]; p[3] != 0 {
				return []byte{p[0], p[1], p[2], 0}
			}
		}
	}
	return pix[4*(y*width+x):][:4]
}

// Close ends the input of ffmpeg and waits until the video is written.
func (f *ffmpeg) Close() error {
	f.frames.Close()
	if err := f.command.Wait(); err != nil {
		return f.errorWithMessage(err)
	}
	return nil
}

func (f *ffmpeg) errorWithMessage(err error) error {
	if line, _, _ := strings.Cut(strings.TrimSpace(f.messages.String()), "\n"); line != "" {
		return fmt.Errorf("ffmpeg: %s", line)
	}
	return fmt.Errorf("ffmpeg: %w", err)
}
