"""When to balance, and how to divide points, from Python: python3 when.py ./liblockstep.so

Particles turn about the centre of a square and get heavier on one side. Their owners are the parts of a division, which
is made anew when the controller says that it pays.
"""
import ctypes
import math
import random
import sys


class Decision(ctypes.Structure):
    _fields_ = [("balance", ctypes.c_int64), ("value", ctypes.c_double), ("limit", ctypes.c_double), ("what", ctypes.c_char * 120)]


library = ctypes.CDLL(sys.argv[1])


def call(name, *args):
    error = ctypes.create_string_buffer(256)
    if getattr(library, name)(*args, error, ctypes.c_size_t(len(error))):
        raise RuntimeError(error.value.decode())


class Controller:
    def __init__(self, criterion="ours", iterations=0):
        self.handle = ctypes.c_size_t()
        call("lockstep_new", criterion.encode(), ctypes.c_int64(iterations), ctypes.byref(self.handle))

    def balanced(self, cost):
        call("lockstep_balanced", self.handle, ctypes.c_double(cost))

    def observe(self, times):
        call("lockstep_observe", self.handle, (ctypes.c_double * len(times))(*times), ctypes.c_size_t(len(times)))

    def decide(self):
        decision = Decision()
        call("lockstep_decide", self.handle, ctypes.byref(decision))
        return decision

    def close(self):
        library.lockstep_free(self.handle)


def divide(points, weights, parts, before=None):
    """Returns the part of each point; those of before keep as much as they can."""
    n = len(points)
    columns = (ctypes.c_double * (2 * n))(*[p[0] for p in points], *[p[1] for p in points])
    weight = (ctypes.c_double * n)(*weights)
    owner = (ctypes.c_int32 * n)()
    call("lockstep_partition", b"rcb", ctypes.c_int64(2), ctypes.c_size_t(n), columns, None, weight,
         ctypes.c_int64(parts), ctypes.c_double(0), owner)
    if before is not None:
        call("lockstep_stay", before, owner, weight, ctypes.c_size_t(n), ctypes.c_int64(parts))
    return owner


def main():
    parts, iterations, cost = 8, 200, 150.0
    chance = random.Random(1)
    points = [(chance.uniform(-1, 1), chance.uniform(-1, 1)) for _ in range(2000)]
    weights = [1.0] * len(points)
    controller = Controller("guard:3:ours", iterations)
    owner = divide(points, weights, parts)
    controller.balanced(cost)
    total, alone, first = 0.0, 0.0, owner
    balancings = moved = 0
    for i in range(iterations):
        if i > 0 and controller.decide().balance:
            before, owner = owner, divide(points, weights, parts, owner)
            moved += sum(a != b for a, b in zip(before, owner))
            controller.balanced(cost)
            total += cost
            balancings += 1
        times, still = [0.0] * parts, [0.0] * parts
        for k, weight in enumerate(weights):
            times[owner[k]] += weight
            still[first[k]] += weight
        controller.observe(times)
        total += max(times)
        alone += max(still)
        turn = 0.01
        points = [(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in points]
        weights = [1 + 2 * max(0.0, x) for x, _ in points]
    controller.close()
    print(f"{balancings} balancings, {moved} points moved, {total:.0f} in all, {alone:.0f} without")


main()
