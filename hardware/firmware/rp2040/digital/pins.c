/* A chain of shift registers on three pins. */
#include "hm_chip.h"
#include "hm_pico.h"
#include "hm_pins.h"
#include "pico/stdlib.h"

static void settle(void) { busy_wait_at_least_cycles(25); } /* 0.2 us: a 74HC165 at 3.3 V asks for less */

void hm_pico_sensors_begin(void) {
    gpio_init(HM_LATCH_PIN);
    gpio_put(HM_LATCH_PIN, true);
    gpio_set_dir(HM_LATCH_PIN, GPIO_OUT);
    gpio_init(HM_CLOCK_PIN);
    gpio_set_dir(HM_CLOCK_PIN, GPIO_OUT);
    gpio_init(HM_DATA_PIN);
    gpio_pull_up(HM_DATA_PIN); /* a chain that is unplugged reads as an empty board */
}

void hm_chip_latch(void) {
    gpio_put(HM_LATCH_PIN, false);
    settle();
    gpio_put(HM_LATCH_PIN, true);
    settle();
}

uint8_t hm_chip_shift(void) {
    uint8_t found = 0;
    for (uint8_t bit = 0; bit < 8; bit++) {
        found = (uint8_t)(found << 1 | gpio_get(HM_DATA_PIN));
        gpio_put(HM_CLOCK_PIN, true);
        settle();
        gpio_put(HM_CLOCK_PIN, false);
        settle();
    }
    return found;
}
