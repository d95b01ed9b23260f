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

#define STORE_AT(sector) (PICO_FLASH_SIZE_BYTES - ((sector) + 1u) * FLASH_SECTOR_SIZE) /* the last two, in turn */
#define MARK_AT (FLASH_SECTOR_SIZE - sizeof(store_mark))
#define OUT_BYTES 8192u  /* a power of two: all that one command can be answered with, a self-test that finds every square bad */
#define KEYFRAME_BYTES 256u /* what waits beyond is older than a host can use */
#define HANG_MS 1000

/* Stands at the end of a sector and is written last: the sector with the higher count is the one to believe. */
typedef struct {
    uint32_t count, inverse;
} store_mark;

typedef char store_fits_a_sector[HM_STORE_BYTES <= MARK_AT ? 1 : -1];

static hm_core core;
static uint8_t store[FLASH_SECTOR_SIZE];
static store_mark newest;
static uint8_t newest_sector;
static bool store_changed;
static uint8_t out[OUT_BYTES];
static uint32_t out_first, out_next; /* they count on and wrap with the type */

uint32_t hm_chip_now_ms(void) { return to_ms_since_boot(get_absolute_time()); }

bool hm_chip_receive(uint8_t *byte) {
    int found = getchar_timeout_us(0);
    *byte = (uint8_t)found;
    return found >= 0;
}

/* Hands USB as much as its own buffer takes now, which may be less than a frame. It never waits: nobody's reading stops the scan. All at
   once, because each call of the SDK's costs some 30 us, however little it is given. */
static void pump(void) {
    while (out_next != out_first) {
        uint32_t at = out_first % OUT_BYTES, part = out_next - out_first, room = tud_cdc_write_available();
        if (room == 0)
            return;
        if (part > room)
            part = room;
        if (part > OUT_BYTES - at)
            part = OUT_BYTES - at;
        stdio_put_string((const char *)out + at, (int)part, false, false);
        out_first += part;
        stdio_flush();
    }
}

bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait) {
    pump();
    if (out_next - out_first + length > (wait ? OUT_BYTES : KEYFRAME_BYTES))
        return false;
    for (uint8_t i = 0; i < length; i++)
        out[out_next++ % OUT_BYTES] = frame[i];
    pump();
    return true;
}

uint8_t hm_chip_load(uint16_t at) { return store[at]; }

void hm_chip_store(uint16_t at, uint8_t byte) {
    store_changed = store_changed || store[at] != byte;
    store[at] = byte;
}

void hm_chip_commit(void) {
    /* Flash is erased by whole sectors, which takes some 50 ms. Power that fails meanwhile costs what was to be kept, not what was. */
    if (!store_changed)
        return;
    store_changed = false;
    newest.count++;
    newest.inverse = ~newest.count;
    newest_sector ^= 1;
    memcpy(store + MARK_AT, &newest, sizeof newest);
    uint32_t interrupts = save_and_disable_interrupts();
    flash_range_erase(STORE_AT(newest_sector), FLASH_SECTOR_SIZE);
    flash_range_program(STORE_AT(newest_sector), store, FLASH_SECTOR_SIZE);
    restore_interrupts(interrupts);
}

static void load_store(void) {
    /* a sector without a mark counts as the oldest: one that was never written, or only in part */
    for (uint8_t sector = 0; sector < 2; sector++) {
        const uint8_t *kept = (const uint8_t *)(XIP_BASE + STORE_AT(sector));
        store_mark mark;
        memcpy(&mark, kept + MARK_AT, sizeof mark);
        if (mark.inverse == ~mark.count && mark.count > newest.count) {
            newest = mark;
            newest_sector = sector;
        }
    }
    memcpy(store, (const void *)(XIP_BASE + STORE_AT(newest_sector)), sizeof store);
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
    load_store();
    hm_pico_sensors_begin();
    watchdog_enable(HANG_MS, true);
    hm_start(&core, cause, hm_chip_now_ms());
    for (;;) {
        watchdog_update();
        pump();
        hm_step(&core);
    }
}
