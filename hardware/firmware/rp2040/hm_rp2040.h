/* The RP2040's registers that this firmware uses, at the addresses of its datasheet (numbers behind the names: its sections). */
#ifndef HM_RP2040_H
#define HM_RP2040_H

#include <stdbool.h>
#include <stdint.h>

#define HM_REGISTER(at) (*(volatile uint32_t *)(at))
#define HM_SET(at, bits) (HM_REGISTER((at) + 0x2000u) = (bits)) /* 2.1.2: written there, bits are set and others left alone */
#define HM_CLEAR(at, bits) (HM_REGISTER((at) + 0x3000u) = (bits))

#define HM_CLOCKS 0x40008000u /* 2.15 */
#define HM_RESETS 0x4000c000u /* 2.14 */
#define HM_PSM 0x40010000u    /* 2.13 */
#define HM_IO 0x40014000u     /* 2.19 */
#define HM_PADS 0x4001c000u
#define HM_XOSC 0x40024000u     /* 2.16 */
#define HM_PLL_USB 0x4002c000u  /* 2.18 */
#define HM_ADC 0x4004c000u      /* 4.9 */
#define HM_TIMER 0x40054000u    /* 4.6 */
#define HM_WATCHDOG 0x40058000u /* 4.7 */
#define HM_CHIP_RESET 0x40064008u /* 2.10 */
#define HM_SIO 0xd0000000u        /* 2.3.1 */

#define HM_IN (HM_SIO + 0x04)
#define HM_OUT_SET (HM_SIO + 0x14)
#define HM_OUT_CLEAR (HM_SIO + 0x18)
#define HM_OUTPUTS_SET (HM_SIO + 0x24)

#define HM_RESET_ADC (1u << 0)
#define HM_RESET_IO (1u << 5)
#define HM_RESET_PADS (1u << 8)
#define HM_RESET_PLL_USB (1u << 13)
#define HM_RESET_TIMER (1u << 21)
#define HM_RESET_USB (1u << 24)

#define HM_USB_INTERRUPT (1u << 5)

static inline void hm_out_of_reset(uint32_t parts) {
    HM_CLEAR(HM_RESETS, parts);
    while (~HM_REGISTER(HM_RESETS + 8) & parts) {
    }
}

/* An input without pulls, or with `pad` bits beside: 8 pulls up. As an output it drives what HM_OUT_SET said last. */
static inline void hm_pin(uint32_t pin, uint32_t pad) {
    HM_REGISTER(HM_PADS + 4 + 4 * pin) = 0x52u | pad; /* input on, Schmitt trigger, 4 mA */
    HM_REGISTER(HM_IO + 8 * pin + 4) = 5;             /* SIO: what the program says */
}

static inline void hm_wait_us(uint32_t us) { /* at least so long, a microsecond more at most */
    uint32_t since = HM_REGISTER(HM_TIMER + 0x28);
    while (HM_REGISTER(HM_TIMER + 0x28) - since <= us) {
    }
}

static inline void hm_interrupts_off(void) { __asm__ volatile("cpsid i" ::: "memory"); }
static inline void hm_interrupts_on(void) { __asm__ volatile("cpsie i" ::: "memory"); }

#endif
