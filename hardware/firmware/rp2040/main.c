/* Raspberry Pi Pico and Pico 2: clocks, watchdog, line, store and the main loop. The sensors' pins are in linear/ or digital/. */
#include <string.h>

#include "hm_chip.h"
#include "hm_core.h"
#include "hm_pico.h"
#include "hm_registers.h"

#define MARK_AT (HM_SECTOR - sizeof(store_mark))
#define KEYFRAME_BYTES 256u /* what waits beyond is older than a host can use */
#define HANG_MS 1000u
#define CLOCK_KHZ 48000u
#define GUARDED 0x48616c6cu /* in a scratch register: it was this firmware that set the watchdog, and not the boot ROM */

/* Stands at the end of a sector and is written last: the sector with the higher count is the one to believe. Two sectors, in turn. */
typedef struct {
    uint32_t count, inverse;
} store_mark;

typedef char store_fits_a_sector[HM_STORE_BYTES <= MARK_AT ? 1 : -1];

static hm_core core;
static uint8_t store[HM_SECTOR];
static store_mark newest;
static uint8_t newest_sector;
static bool store_changed;
static volatile uint32_t now_ms;

void hm_tick(void);
void hm_tick(void) { now_ms++; }

uint32_t hm_chip_now_ms(void) { return now_ms; }

bool hm_chip_receive(uint8_t *byte) { return hm_usb_receive(byte); }

bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait) {
    if (hm_usb_waiting() + length > (wait ? HM_USB_OUT_BYTES : KEYFRAME_BYTES))
        return false;
    hm_usb_send(frame, length);
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
    hm_flash_write(newest_sector, store);
}

static void load_store(void) {
    /* a sector without a mark counts as the oldest: one that was never written, or only in part */
    for (uint8_t sector = 0; sector < 2; sector++) {
        store_mark mark;
        memcpy(&mark, hm_flash_sector(sector) + MARK_AT, sizeof mark);
        if (mark.inverse == ~mark.count && mark.count > newest.count) {
            newest = mark;
            newest_sector = sector;
        }
    }
    memcpy(store, hm_flash_sector(newest_sector), sizeof store);
}

void hm_chip_mark(bool begins) { HM_REGISTER(HM_WATCHDOG + 0x10) = begins; } /* a scratch register: an emulator measures by it */

static void set_clocks(void) {
    /* Everything runs at USB's 48 MHz, from the crystal's 12: the slowest scan needs a third of that, and one PLL will do. */
    HM_REGISTER(HM_XOSC + 0x0c) = 47 * 64; /* 64 ms to settle: the crystals of some Picos' copies are slow */
    HM_REGISTER(HM_XOSC) = 0xfabaa0;
    while (!(HM_REGISTER(HM_XOSC + 4) & 1u << 31)) {
    }
    HM_REGISTER(HM_CLOCKS + 0x30) = 2; /* reference: the crystal */
    while (HM_REGISTER(HM_CLOCKS + 0x38) != 1u << 2) {
    }
    HM_REGISTER(HM_CLOCKS + 0x3c) = 0; /* the system: from the reference, while the PLL starts */
    while (HM_REGISTER(HM_CLOCKS + 0x44) != 1) {
    }
    HM_SET(HM_RESETS, HM_RESET_PLL_USB);
    hm_out_of_reset(HM_RESET_PLL_USB);
    HM_REGISTER(HM_PLL_USB) = 1;
    HM_REGISTER(HM_PLL_USB + 8) = 100;                 /* 1200 MHz */
    HM_CLEAR(HM_PLL_USB + 4, 1u << 0 | 1u << 5);       /* power to it and its oscillator */
    while (!(HM_REGISTER(HM_PLL_USB) & 1u << 31)) {
    }
    HM_REGISTER(HM_PLL_USB + 0x0c) = 5u << 16 | 5u << 12; /* / 5 / 5 */
    HM_CLEAR(HM_PLL_USB + 4, 1u << 3);
    HM_REGISTER(HM_CLOCKS + 0x3c) = 1u << 5; /* which one, then that it counts */
    HM_REGISTER(HM_CLOCKS + 0x3c) = 1u << 5 | 1;
    while (HM_REGISTER(HM_CLOCKS + 0x44) != 2) {
    }
    HM_REGISTER(HM_CLOCKS + HM_CLOCK_OF_USB) = 1u << 11; /* from the PLL too */
    HM_REGISTER(HM_CLOCKS + HM_CLOCK_OF_ADC) = 1u << 11;
#ifdef HM_RP2350 /* a microsecond, for timer and watchdog */
    HM_REGISTER(HM_TICKS + 0x1c) = 12;
    HM_REGISTER(HM_TICKS + 0x18) = 1;
    HM_REGISTER(HM_TICKS + 0x34) = 12;
    HM_REGISTER(HM_TICKS + 0x30) = 1;
#else
    HM_REGISTER(HM_WATCHDOG + 0x2c) = 12 | 1u << 9;
#endif
    hm_out_of_reset(HM_RESET_IO | HM_RESET_PADS | HM_RESET_TIMER);
    HM_REGISTER(0xe000e014u) = CLOCK_KHZ - 1; /* SysTick: a millisecond */
    HM_REGISTER(0xe000e018u) = 0;
    HM_REGISTER(0xe000e010u) = 7;
}

static void feed_watchdog(void) { HM_REGISTER(HM_WATCHDOG + 4) = HANG_MS * 1000 * HM_COUNTS_A_US; }

static void start_watchdog(void) {
    HM_REGISTER(HM_PSM + 8) = HM_RESTARTED_BY_WATCHDOG;
    feed_watchdog();
    HM_REGISTER(HM_WATCHDOG + 0x0c) = GUARDED;
    HM_REGISTER(HM_WATCHDOG) = 1u << 30 | 7u << 24; /* it waits while a debugger does */
}

static uint8_t reset_cause(void) {
    uint32_t had = HM_REGISTER(HM_CHIP_RESET);
    if (HM_REGISTER(HM_WATCHDOG + 8) & 1 && HM_REGISTER(HM_WATCHDOG + 0x0c) == GUARDED)
        return HM_RESET_CAUSE_WATCHDOG;
    if (had & HM_HAD_RUN)
        return HM_RESET_CAUSE_EXTERNAL;
    if (had & HM_HAD_POWER_ON) /* before brown-out: a slow switch-on sets both */
        return HM_RESET_CAUSE_POWER_ON;
    return had & HM_HAD_BROWN_OUT ? HM_RESET_CAUSE_BROWN_OUT : HM_RESET_CAUSE_UNKNOWN;
}

int main(void) {
    uint8_t cause = reset_cause(), id[HM_ID_BYTES];
    set_clocks();
    hm_flash_id(id);
    load_store();
    hm_pico_sensors_begin();
    hm_usb_begin(id);
    start_watchdog();
    hm_start(&core, cause, hm_chip_now_ms());
    while (!hm_usb_wants_boot_loader()) {
        feed_watchdog();
        hm_step(&core);
        __asm__ volatile("wfi"); /* until the next millisecond, or the host's */
    }
    hm_wait_us(20000); /* the host hears that it is done */
    HM_REGISTER(HM_WATCHDOG + 0x0c) = 0;
    hm_enter_boot_loader();
    return 0;
}

void *memcpy(void *to, const void *from, size_t count) {
    uint8_t *a = to;
    for (const uint8_t *b = from; count; count--)
        *a++ = *b++;
    return to;
}

void *memset(void *at, int value, size_t count) {
    for (uint8_t *a = at; count; count--)
        *a++ = (uint8_t)value;
    return at;
}
