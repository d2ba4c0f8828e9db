// Package budget is the account of memory: what a picture needs, part by part. What there is of it, each program finds
// out for itself.
package budget
