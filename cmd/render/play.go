package main

import (
	"lockstep/internal/cli"
	"lockstep/scenes"
)

// playsClip reports whether the animation plays a clip of the file.
func (c *animateCommand) playsClip() bool { return c.Clip != "" && c.Time == nil }

// setClipTimes sets the times of the frames of a clip. Frame k of n shows the time k/n of the clip's length, so no
// frame shows the end. Many clips end as they begin. An animation in a loop would show that moment twice.
func (c *animateCommand) setClipTimes(s *series) error {
	if !c.playsClip() {
		return nil
	}
	in := s.meshes[0]
	i := scenes.FindClip(in.Clips, c.Clip)
	if i < 0 {
		return cli.Inputf("%s: --clip %s: no animation of the file is known", in.Name, c.Clip)
	}
	s.times = make([]float64, c.Frames)
	for k := range s.times {
		s.times[k] = float64(in.Clips[i].Seconds * float64(k) / float64(c.Frames))
	}
	for len(s.names) < len(s.times) {
		s.names = append(s.names, s.names[0])
	}
	return nil
}
