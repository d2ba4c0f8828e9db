// Draws a scene, flat shaded, with Mesa's software renderer llvmpipe, through EGL
// without a surface. Prints the best time of a frame (clear, draw, finish), with
// both faces and with back faces culled.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include "common.h"

static const char *vertex_source =
	"#version 330 core\n"
	"layout(location=0) in vec3 position; layout(location=1) in vec3 normal;\n"
	"uniform mat4 clip; uniform vec3 eye; flat out vec3 color;\n"
	"void main() { gl_Position = clip * vec4(position, 1);\n"
	"  float i = 0.15 + 0.85 * abs(dot(normal, normalize(eye - position)));\n"
	"  color = vec3(pow(i * 0.6038, 1 / 2.2)); }\n";
static const char *fragment_source =
	"#version 330 core\n"
	"flat in vec3 color; out vec4 pixel;\n"
	"void main() { pixel = vec4(color, 1); }\n";

static GLuint compile(GLenum kind, const char *source) {
	GLuint s = glCreateShader(kind);
	GLint ok;
	glShaderSource(s, 1, &source, 0);
	glCompileShader(s);
	glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
	if (!ok) fail("shader does not compile");
	return s;
}

static void context(void) {
	PFNEGLGETPLATFORMDISPLAYEXTPROC get = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
	EGLDisplay d = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 0) : EGL_NO_DISPLAY;
	EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
	if (d == EGL_NO_DISPLAY || !eglInitialize(d, 0, 0) || !eglBindAPI(EGL_OPENGL_API)) fail("no EGL without a surface");
	EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
	if (c == EGL_NO_CONTEXT || !eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c)) fail("no OpenGL 3.3");
	if (!strstr((const char *)glGetString(GL_RENDERER), "llvmpipe")) fail("the renderer is not llvmpipe");
}

static void frame_buffer(int w, int h) {
	GLuint fb, rb[2];
	glGenFramebuffers(1, &fb);
	glBindFramebuffer(GL_FRAMEBUFFER, fb);
	glGenRenderbuffers(2, rb);
	glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, w, h);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb[0]);
	glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, w, h);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb[1]);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("no frame buffer");
	glViewport(0, 0, w, h);
}

static void upload(const scene *s) {
	size_t floats = s->triangles * 18;
	float *data = malloc(floats * 4), n[3];
	if (!data) fail("no memory");
	for (uint64_t t = 0; t < s->triangles; t++) {
		const float *v = s->vertices + 9 * t;
		flat_normal(v, n);
		for (int k = 0; k < 3; k++) {
			memcpy(data + 18 * t + 6 * k, v + 3 * k, 12);
			memcpy(data + 18 * t + 6 * k + 3, n, 12);
		}
	}
	GLuint array, buffer;
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, floats * 4, data, GL_STATIC_DRAW);
	free(data);
	for (int a = 0; a < 2; a++) {
		glEnableVertexAttribArray(a);
		glVertexAttribPointer(a, 3, GL_FLOAT, GL_FALSE, 24, (void *)(size_t)(12 * a));
	}
}

static long covered(int w, int h) {
	unsigned char *pixels = malloc((size_t)w * h * 4);
	long n = 0;
	glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (long i = 0; i < (long)w * h; i++) n += pixels[4 * i + 3] != 0;
	free(pixels);
	return n;
}

int main(int argc, char **argv) {
	if (argc < 3) fail("usage: llvmpipe SCENE FRAMES");
	scene s = read_scene(argv[1]);
	int w = s.size[0], h = s.size[1];
	context();
	frame_buffer(w, h);
	upload(&s);
	GLuint p = glCreateProgram();
	glAttachShader(p, compile(GL_VERTEX_SHADER, vertex_source));
	glAttachShader(p, compile(GL_FRAGMENT_SHADER, fragment_source));
	glLinkProgram(p);
	glUseProgram(p);
	float m[16];
	for (int i = 0; i < 16; i++) m[i] = s.matrix[i];
	glUniformMatrix4fv(glGetUniformLocation(p, "clip"), 1, GL_FALSE, m);
	glUniform3f(glGetUniformLocation(p, "eye"), s.eye[0], s.eye[1], s.eye[2]);
	glEnable(GL_DEPTH_TEST);
	for (int cull = 0; cull < 2; cull++) {
		double best = 1e30;
		if (cull) glEnable(GL_CULL_FACE);
		for (int i = 0; i < atoi(argv[2]); i++) {
			double t = now();
			glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
			glDrawArrays(GL_TRIANGLES, 0, 3 * s.triangles);
			glFinish();
			t = now() - t;
			if (t < best) best = t;
		}
		report(cull ? "culled" : "both", best, covered(w, h), 0);
	}
	return 0;
}
