/* Raspberry Pi Pico: clock, USB line, store and the main loop. The sensors' pins are in linear/ or digital/. */
#include <string.h>

#include "hardware/flash.h"
#include "hardware/structs/vreg_and_chip_reset.h"
#include "hardware/sync.h"
#include "hardware/watchdog.h"
#include "hm_chip.h"
#include "hm_core.h"
#include "hm_pico.h"
#include "pico/stdlib.h"
#include "tusb.h"

#define STORE_AT (PICO_FLASH_SIZE_BYTES - FLASH_SECTOR_SIZE) /* the last sector */
#define ROOM_WAIT_MS 20
#define HANG_MS 1000

typedef char store_fits_a_sector[HM_STORE_BYTES <= FLASH_SECTOR_SIZE ? 1 : -1];

static hm_core core;
static uint8_t store[FLASH_SECTOR_SIZE];
static bool store_changed;

uint32_t hm_chip_now_ms(void) { return to_ms_since_boot(get_absolute_time()); }

bool hm_chip_receive(uint8_t *byte) {
    int found = getchar_timeout_us(0);
    *byte = (uint8_t)found;
    return found >= 0;
}

bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait) {
    uint32_t since_ms = hm_chip_now_ms();
    while (tud_cdc_write_available() < length) {
        /* a host that does not read must not stop the scan: an answer waits a little, a KEYFRAME not at all */
        if (!wait || hm_chip_now_ms() - since_ms > ROOM_WAIT_MS)
            return false;
    }
    for (uint8_t i = 0; i < length; i++)
        putchar_raw(frame[i]);
    stdio_flush();
    return true;
}

uint8_t hm_chip_load(uint16_t at) { return store[at]; }

void hm_chip_store(uint16_t at, uint8_t byte) {
    store_changed = store_changed || store[at] != byte;
    store[at] = byte;
}

void hm_chip_commit(void) {
    /* Flash is erased by whole sectors. Power that fails within these 50 ms costs the store: the board then says UNCALIBRATED. */
    if (!store_changed)
        return;
    store_changed = false;
    uint32_t interrupts = save_and_disable_interrupts();
    flash_range_erase(STORE_AT, FLASH_SECTOR_SIZE);
    flash_range_program(STORE_AT, store, FLASH_SECTOR_SIZE);
    restore_interrupts(interrupts);
}

void hm_chip_mark(bool begins) { (void)begins; }

static uint8_t reset_cause(void) {
    uint32_t had = vreg_and_chip_reset_hw->chip_reset;
    if (watchdog_enable_caused_reboot())
        return HM_RESET_CAUSE_WATCHDOG;
    if (had & VREG_AND_CHIP_RESET_CHIP_RESET_HAD_RUN_BITS)
        return HM_RESET_CAUSE_EXTERNAL;
    /* this chip cannot tell a supply that sagged from one that was switched on */
    return had & VREG_AND_CHIP_RESET_CHIP_RESET_HAD_POR_BITS ? HM_RESET_CAUSE_POWER_ON : HM_RESET_CAUSE_UNKNOWN;
}

int main(void) {
    uint8_t cause = reset_cause();
    stdio_init_all(); /* brings USB up; the SDK serves it in the background */
    memcpy(store, (const void *)(XIP_BASE + STORE_AT), sizeof store);
    hm_pico_sensors_begin();
    watchdog_enable(HANG_MS, true);
    hm_start(&core, cause, hm_chip_now_ms());
    for (;;) {
        watchdog_update();
        hm_step(&core);
    }
}
