/* Tables that lie in flash: an AVR reads them by instructions of their own. */
#ifndef HM_PORT_H
#define HM_PORT_H

#include <avr/pgmspace.h>
#include <stdint.h>

#define HM_FLASH PROGMEM

static inline uint8_t hm_flash8(const void *at) { return pgm_read_byte(at); }
static inline uint16_t hm_flash16(const void *at) { return pgm_read_word(at); }

#endif
