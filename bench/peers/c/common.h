// What the C programs share: reading the scene, the clock and the output.
//
// A scene file has the number of triangles as uint64; a column-major 4x4 clip
// matrix, the eye, the width and the height, and 3 unused numbers as 24 float64;
// and nine float32 for each triangle. writeScene of ../programs.go writes it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
	uint64_t triangles;
	double matrix[16], eye[3], size[2], rest[3];
	float *vertices;
} scene;

static void fail(const char *what) {
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static scene read_scene(const char *path) {
	scene s;
	FILE *f = fopen(path, "rb");
	if (!f || fread(&s.triangles, 8, 1, f) != 1 || fread(s.matrix, 8, 24, f) != 24) fail("no scene");
	s.vertices = malloc(s.triangles * 36);
	if (!s.vertices || fread(s.vertices, 36, s.triangles, f) != s.triangles) fail("short scene");
	fclose(f);
	return s;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// flat_normal writes the unit normal of the triangle with the corners v to n.
static void flat_normal(const float *v, float *n) {
	float ux = v[3] - v[0], uy = v[4] - v[1], uz = v[5] - v[2];
	float wx = v[6] - v[0], wy = v[7] - v[1], wz = v[8] - v[2];
	n[0] = uy * wz - uz * wy, n[1] = uz * wx - ux * wz, n[2] = ux * wy - uy * wx;
	float l = __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	if (l > 0) n[0] /= l, n[1] /= l, n[2] /= l;
}

static void report(const char *mode, double seconds, long covered, double build) {
	printf("{\"mode\":\"%s\",\"seconds\":%.9f,\"covered\":%ld,\"build\":%.6f}\n", mode, seconds, covered, build);
	fflush(stdout);
}
