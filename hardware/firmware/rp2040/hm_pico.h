/* The parts of the Pico's firmware among themselves. */
#ifndef HM_PICO_H
#define HM_PICO_H

#include <stdbool.h>
#include <stdint.h>

#define HM_SECTOR 4096u
#define HM_ID_BYTES 8

/* Sets the sensors' pins up. */
void hm_pico_sensors_begin(void);

/* Flash, through the boot ROM's own functions. `sector` counts from the end of the chip's two megabytes: 0 is the last one. */
const uint8_t *hm_flash_sector(uint8_t sector);
void hm_flash_write(uint8_t sector, const uint8_t *bytes); /* erases it first */
void hm_flash_id(uint8_t *id);                             /* HM_ID_BYTES that no other flash chip has */

/* Restarts the chip as the drive RPI-RP2 that takes a new image. */
void hm_enter_boot_loader(void);

/* A serial port on USB. Its name ends in the number that `id` makes. */
void hm_usb_begin(const uint8_t *id);
bool hm_usb_receive(uint8_t *byte);
uint32_t hm_usb_waiting(void); /* bytes that the host has not fetched; without a host that listens they are dropped */
void hm_usb_send(const uint8_t *bytes, uint32_t count);
bool hm_usb_wants_boot_loader(void); /* the host set 1200 baud, which is how one asks for it */

#define HM_USB_OUT_BYTES 8192u /* a power of two: all that one command can be answered with, a self-test that finds every square bad */

#endif
