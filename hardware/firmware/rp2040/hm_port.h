/* Tables that lie in flash: the RP2040 reads them like any other memory. */
#ifndef HM_PORT_H
#define HM_PORT_H

#include <stdint.h>

#define HM_FLASH

static inline uint8_t hm_flash8(const void *at) { return *(const uint8_t *)at; }
static inline uint16_t hm_flash16(const void *at) { return *(const uint16_t *)at; }

#endif
