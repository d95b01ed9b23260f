/* The registers that this firmware uses, at the addresses of the data sheets of the RP2040 and the RP2350 (behind the names: sections of
 * the RP2040's). What a chip has under another name or does in another way stands in the files, under `#ifdef HM_RP2350`. */
#ifndef HM_REGISTERS_H
#define HM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define HM_REGISTER(at) (*(volatile uint32_t *)(at))
#define HM_SET(at, bits) (HM_REGISTER((at) + 0x2000u) = (bits)) /* 2.1.2: written there, bits are set and others left alone */
#define HM_CLEAR(at, bits) (HM_REGISTER((at) + 0x3000u) = (bits))

#ifdef HM_RP2350
#define HM_CLOCKS 0x40010000u
#define HM_RESETS 0x40020000u
#define HM_PSM 0x40018000u
#define HM_IO 0x40028000u
#define HM_PADS 0x40038000u
#define HM_XOSC 0x40048000u
#define HM_PLL_USB 0x40058000u
#define HM_ADC 0x400a0000u
#define HM_TIMER 0x400b0000u
#define HM_WATCHDOG 0x400d8000u
#define HM_CHIP_RESET 0x4010002cu
#define HM_TICKS 0x40108000u
#define HM_OUT_SET 0xd0000018u
#define HM_OUT_CLEAR 0xd0000020u
#define HM_OUTPUTS_SET 0xd0000038u
#define HM_CLOCK_OF_USB 0x60
#define HM_CLOCK_OF_ADC 0x6c
#define HM_RESET_IO (1u << 6)
#define HM_RESET_PADS (1u << 9)
#define HM_RESET_PLL_USB (1u << 15)
#define HM_RESET_TIMER (1u << 23)
#define HM_RESET_USB (1u << 28)
#define HM_RESTARTED_BY_WATCHDOG 0x1fffff3u /* all but the oscillators */
#define HM_COUNTS_A_US 1u
#define HM_HAD_POWER_ON (1u << 16)
#define HM_HAD_BROWN_OUT (1u << 17)
#define HM_HAD_RUN (1u << 18)
#define HM_USB_INTERRUPT (1u << 14)
#else
#define HM_CLOCKS 0x40008000u /* 2.15 */
#define HM_RESETS 0x4000c000u /* 2.14 */
#define HM_PSM 0x40010000u    /* 2.13 */
#define HM_IO 0x40014000u     /* 2.19 */
#define HM_PADS 0x4001c000u
#define HM_XOSC 0x40024000u       /* 2.16 */
#define HM_PLL_USB 0x4002c000u    /* 2.18 */
#define HM_ADC 0x4004c000u        /* 4.9 */
#define HM_TIMER 0x40054000u      /* 4.6 */
#define HM_WATCHDOG 0x40058000u   /* 4.7 */
#define HM_CHIP_RESET 0x40064008u /* 2.10 */
#define HM_OUT_SET 0xd0000014u    /* 2.3.1 */
#define HM_OUT_CLEAR 0xd0000018u
#define HM_OUTPUTS_SET 0xd0000024u
#define HM_CLOCK_OF_USB 0x54
#define HM_CLOCK_OF_ADC 0x60
#define HM_RESET_IO (1u << 5)
#define HM_RESET_PADS (1u << 8)
#define HM_RESET_PLL_USB (1u << 13)
#define HM_RESET_TIMER (1u << 21)
#define HM_RESET_USB (1u << 24)
#define HM_RESTARTED_BY_WATCHDOG 0x1fffcu
#define HM_COUNTS_A_US 2u /* RP2040-E1 */
#define HM_HAD_POWER_ON (1u << 8)
#define HM_HAD_BROWN_OUT 0u /* it cannot tell a supply that sagged from one that was switched on */
#define HM_HAD_RUN (1u << 16)
#define HM_USB_INTERRUPT (1u << 5)
#endif
#define HM_IN 0xd0000004u
#define HM_RESET_ADC (1u << 0)

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
