//go:build cgo

package main

// #define LOCKSTEP_LIBRARY
// #include "lockstep.h"
// static inline int call(lockstep_all all, const lockstep_report *mine, lockstep_report *merged, void *user) {
//	return all(mine, merged, user);
// }
import "C"

import (
	"fmt"
	"unsafe"

	"lockstep/lb/criterion"
)

// lockstep_reduce sets the function that merges the reports of all processes, or removes it if all is NULL, see
// criterion.Controller.Reduce.
//
//export lockstep_reduce
func lockstep_reduce(controller C.lockstep_controller, all C.lockstep_all, user unsafe.Pointer, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		c.Reduce = nil
		if all != nil {
			c.Reduce = func(r criterion.Report) (criterion.Report, error) {
				mine, merged := toC(r), C.lockstep_report{}
				if code := C.call(all, &mine, &merged, user); code != 0 {
					return criterion.Report{}, fmt.Errorf("the function that merges reports returned %d", int(code))
				}
				return fromC(&merged), nil
			}
		}
		return nil
	})
}

//export lockstep_merge
func lockstep_merge(one, into *C.lockstep_report) {
	if one != nil && into != nil {
		*into = toC(fromC(one).Merge(fromC(into)))
	}
}

func toC(r criterion.Report) C.lockstep_report {
	return C.lockstep_report{
		max: C.double(r.Max), sum: C.double(r.Sum), min: C.double(r.Min), count: C.int64_t(r.Count), cost: C.double(r.Cost),
		price: C.double(r.Price), kept: C.double(r.Kept), bad: C.int64_t(r.Bad), balanced: boolToC(r.Balanced),
		speed: C.double(r.Speed), until: C.int64_t(r.Until),
	}
}

func fromC(r *C.lockstep_report) criterion.Report {
	return criterion.Report{
		Max: float64(r.max), Sum: float64(r.sum), Min: float64(r.min), Count: int(r.count), Cost: float64(r.cost),
		Price: float64(r.price), Kept: float64(r.kept), Bad: int(r.bad), Balanced: r.balanced != 0,
		Speed: float64(r.speed), Until: int(r.until),
	}
}
