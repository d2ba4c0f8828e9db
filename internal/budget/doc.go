// Package budget estimates the memory that drawing a picture takes, and measures how much this process may still use.
package budget
