// Package frame has the stages of a frame: each is an object that owns its memory, which is kept from frame to frame.
//
// A stage has three methods. Begin prepares it for a frame, and receives everything that the frame's schedule has
// decided for it. Run is a worker's part of the work; all workers call it. End is told whether the frame was
// cancelled. If it was, or if a panic kept End from being called, the next Begin clears the memory that this frame has
// written. No stage asks which part of a frame is drawn, or looks at options.
package frame
