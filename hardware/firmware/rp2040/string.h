/* What the firmware uses of C's own string.h; there is no C library in this image. */
#ifndef HM_STRING_H
#define HM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memset(void *at, int value, size_t count);

#endif
