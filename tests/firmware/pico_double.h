/* What the Pico's main.c uses of the SDK, on this machine: flash is an array, and power can fail while it is written. */
#ifndef PICO_DOUBLE_H
#define PICO_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PICO_FLASH_SIZE_BYTES 16384u
#define FLASH_SECTOR_SIZE 4096u
#define VREG_AND_CHIP_RESET_CHIP_RESET_HAD_RUN_BITS 1u
#define VREG_AND_CHIP_RESET_CHIP_RESET_HAD_POR_BITS 2u

typedef uint64_t absolute_time_t;
typedef struct {
    uint32_t chip_reset;
} vreg_and_chip_reset_hw_t;

extern uint8_t flash[PICO_FLASH_SIZE_BYTES];
extern vreg_and_chip_reset_hw_t *vreg_and_chip_reset_hw;
#define XIP_BASE ((uintptr_t)flash)

void flash_range_erase(uint32_t at, size_t count);
void flash_range_program(uint32_t at, const uint8_t *data, size_t count);
uint32_t save_and_disable_interrupts(void);
void restore_interrupts(uint32_t status);
absolute_time_t get_absolute_time(void);
uint32_t to_ms_since_boot(absolute_time_t at);
int getchar_timeout_us(uint32_t timeout_us);
int stdio_put_string(const char *text, int length, bool newline, bool cr_translation);
void stdio_flush(void);
bool stdio_init_all(void);
void watchdog_update(void);
void watchdog_enable(uint32_t delay_ms, bool pause_on_debug);
bool watchdog_enable_caused_reboot(void);
uint32_t tud_cdc_write_available(void);

#endif
