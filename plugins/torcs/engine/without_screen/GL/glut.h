// The part of OpenGL that TORCS's race engine names where it takes pictures of a screen. There is
// no screen, and without_screen.cc has these functions empty.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

using GLuint = unsigned int;
using GLvoid = void;

constexpr unsigned GL_FRONT = 0;
constexpr unsigned GL_PACK_ROW_LENGTH = 0;
constexpr unsigned GL_PACK_ALIGNMENT = 0;
constexpr unsigned GL_RGB = 0;
constexpr unsigned GL_UNSIGNED_BYTE = 0;

void glPixelStorei(unsigned name, int value);
void glReadBuffer(unsigned buffer);
void glReadPixels(int x, int y, int width, int height, unsigned format, unsigned type, void* to);
void glutPostRedisplay();
