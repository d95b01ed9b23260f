/* A chain of shift registers on three pins. 96 bits take a tenth of a millisecond, so it needs no SPI. */
#include <avr/io.h>

#include "hm_avr.h"
#include "hm_chip.h"
#include "hm_pins.h"

#define BIT(number) (uint8_t)(1 << (number))

void hm_avr_sensors_begin(void) {
    HM_LATCH_DDR |= BIT(HM_LATCH_BIT);
    HM_CLOCK_DDR |= BIT(HM_CLOCK_BIT);
    HM_DATA_PORT |= BIT(HM_DATA_BIT); /* pulled up: a chain that is unplugged reads as an empty board */
    HM_LATCH_PORT |= BIT(HM_LATCH_BIT);
}

void hm_chip_latch(void) {
    HM_LATCH_PORT &= (uint8_t)~BIT(HM_LATCH_BIT);
    HM_LATCH_PORT |= BIT(HM_LATCH_BIT);
}

uint8_t hm_chip_shift(void) {
    uint8_t found = 0;
    for (uint8_t bit = 0; bit < 8; bit++) {
        found = (uint8_t)(found << 1 | ((HM_DATA_PIN >> HM_DATA_BIT) & 1));
        HM_CLOCK_PORT |= BIT(HM_CLOCK_BIT);
        HM_CLOCK_PORT &= (uint8_t)~BIT(HM_CLOCK_BIT);
    }
    return found;
}
