package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// findFFmpeg says what is missing for a video.
func findFFmpeg(name string) error {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return usagef("%s: videos are written by ffmpeg, which is not installed; .gif and .png need nothing", name)
	}
	return nil
}

// An ffmpeg makes a video of frames.
type ffmpeg struct {
	command  *exec.Cmd
	frames   io.WriteCloser
	messages bytes.Buffer
}

// startFFmpeg starts the program; it writes to out, and ends with the context.
func startFFmpeg(ctx context.Context, out io.Writer, kind string, width, height, fps int) (*ffmpeg, error) {
	args := []string{"-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgba", "-video_size", fmt.Sprintf("%dx%d", width, height),
		"-framerate", strconv.Itoa(fps), "-i", "pipe:0", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"}
	if kind == ".mp4" {
		args = append(args, "-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4")
	} else {
		args = append(args, "-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "30", "-f", "webm")
	}
	f := &ffmpeg{command: exec.CommandContext(ctx, "ffmpeg", append(args, "pipe:1")...)}
	f.command.Stdout, f.command.Stderr = out, &f.messages
	var err error
	if f.frames, err = f.command.StdinPipe(); err != nil {
		return nil, err
	}
	return f, f.command.Start()
}

// Frame hands over a frame.
func (f *ffmpeg) Frame(pix []byte) error {
	if _, err := f.frames.Write(pix); err != nil {
		f.command.Wait()
		return f.failure(err)
	}
	return nil
}

// Close waits for the end of the video.
func (f *ffmpeg) Close() error {
	f.frames.Close()
	if err := f.command.Wait(); err != nil {
		return f.failure(err)
	}
	return nil
}

func (f *ffmpeg) failure(err error) error {
	if line, _, _ := strings.Cut(strings.TrimSpace(f.messages.String()), "\n"); line != "" {
		return fmt.Errorf("ffmpeg: %s", line)
	}
	return fmt.Errorf("ffmpeg: %w", err)
}
