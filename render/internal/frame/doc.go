// Package frame has the stages of a frame: each is an object that owns its memory, which is kept from frame to frame.
//
// A stage has three methods. Begin prepares it for a frame, and is told all that the frame's schedule has decided for
// it. Run is a worker's part of the work; all workers call it. End is told whether the frame was called off: what a
// frame that was called off has left is cleared before the next one, and so it is where End was not called because of a
// panic. No stage asks which part of a frame is drawn, or looks at options.
package frame
