// Package frame has the stages of a frame, which are objects that own their memory and keep it from frame to frame.
//
// A stage has three methods. Begin prepares it for a frame, and receives all decisions of the frame's schedule that
// concern the stage. Run does one worker's share of the work; all workers call it. The argument of End says whether the
// frame was cancelled. After a cancelled frame, or a panic that kept End from being called, the next Begin clears the
// memory that the frame has written. No stage looks at the renderer's options, or asks which part of a frame is drawn.
package frame
