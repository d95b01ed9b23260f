/* A chain of shift registers on three pins. */
#include "hm_chip.h"
#include "hm_pico.h"
#include "hm_pins.h"
#include "hm_registers.h"

#define BIT(pin) (1u << (pin))

static void settle(void) { /* 0.2 us: a 74HC165 at 3.3 V asks for less */
    for (uint8_t i = 0; i < 10; i++)
        __asm__ volatile("nop");
}

void hm_pico_sensors_begin(void) {
    HM_REGISTER(HM_OUT_SET) = BIT(HM_LATCH_PIN);
    HM_REGISTER(HM_OUTPUTS_SET) = BIT(HM_LATCH_PIN) | BIT(HM_CLOCK_PIN);
    hm_pin(HM_LATCH_PIN, 0);
    hm_pin(HM_CLOCK_PIN, 0);
    hm_pin(HM_DATA_PIN, 8); /* pulled up: a chain that is unplugged reads as an empty board */
}

void hm_chip_latch(void) {
    HM_REGISTER(HM_OUT_CLEAR) = BIT(HM_LATCH_PIN);
    settle();
    HM_REGISTER(HM_OUT_SET) = BIT(HM_LATCH_PIN);
    settle();
}

uint8_t hm_chip_shift(void) {
    uint8_t found = 0;
    for (uint8_t bit = 0; bit < 8; bit++) {
        found = (uint8_t)(found << 1 | (HM_REGISTER(HM_IN) >> HM_DATA_PIN & 1));
        HM_REGISTER(HM_OUT_SET) = BIT(HM_CLOCK_PIN);
        settle();
        HM_REGISTER(HM_OUT_CLEAR) = BIT(HM_CLOCK_PIN);
        settle();
    }
    return found;
}
