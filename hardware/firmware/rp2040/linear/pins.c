/* Multiplexers on the converter's inputs. With six of them and three inputs, two share one and are enabled in turn. */
#include "hm_chip.h"
#include "hm_pico.h"
#include "hm_pins.h"
#include "hm_registers.h"
#include "hm_sensors.h"

#define FIRST_ADC_PIN 26u
#define SELECT_MASK (15u << HM_SELECT_PIN)
#define SETTLE_US 8 /* an SS49E sinks only some 65 uA: by `make circuit` this is enough for half of it and a metre of wire */
#define SAMPLES 4 /* of twelve bits: their mean, in ten bits, hides the converter's uneven steps */

static const uint8_t enable_pins[] = {HM_ENABLE_PINS};
static uint32_t enable_mask;
static uint16_t counts;

void hm_pico_sensors_begin(void) {
    hm_out_of_reset(HM_RESET_ADC);
    HM_REGISTER(HM_ADC) = 1;
    while (!(HM_REGISTER(HM_ADC) & 1u << 8)) {
    }
    for (uint32_t i = 0; i < HM_SENSE_COUNT; i++)
        HM_REGISTER(HM_PADS + 4 + 4 * (FIRST_ADC_PIN + HM_SENSE_FIRST + i)) = 0x80; /* neither driven nor read as 0 or 1 */
    HM_REGISTER(HM_OUTPUTS_SET) = SELECT_MASK;
    for (uint32_t i = 0; i < 4; i++)
        hm_pin(HM_SELECT_PIN + i, 0);
    for (uint8_t i = 0; i < HM_ENABLE_COUNT; i++) {
        enable_mask |= 1u << enable_pins[i];
        HM_REGISTER(HM_OUT_SET) = enable_mask; /* E is low-active */
        HM_REGISTER(HM_OUTPUTS_SET) = enable_mask;
        hm_pin(enable_pins[i], 0);
    }
}

void hm_chip_select(uint8_t input) {
    HM_REGISTER(HM_OUT_CLEAR) = SELECT_MASK & ~((uint32_t)input << HM_SELECT_PIN);
    HM_REGISTER(HM_OUT_SET) = (uint32_t)input << HM_SELECT_PIN;
}

static uint16_t sample(uint32_t input) {
    HM_REGISTER(HM_ADC) = 1u << 0 | 1u << 2 | input << 12;
    while (!(HM_REGISTER(HM_ADC) & 1u << 8)) {
    }
    return (uint16_t)(HM_REGISTER(HM_ADC + 4) & 4095);
}

void hm_chip_begin(uint8_t multiplexer) {
    if (HM_ENABLE_COUNT) {
        HM_REGISTER(HM_OUT_SET) = enable_mask; /* never two at once on one input */
        HM_REGISTER(HM_OUT_CLEAR) = 1u << enable_pins[multiplexer / HM_SENSE_COUNT];
    }
    hm_wait_us(SETTLE_US);
    uint16_t sum = 0;
    for (uint8_t i = 0; i < SAMPLES; i++)
        sum = (uint16_t)(sum + sample((uint32_t)(HM_SENSE_FIRST + multiplexer % HM_SENSE_COUNT)));
    counts = (uint16_t)(sum / SAMPLES >> 2);
}

uint16_t hm_chip_counts(void) { return counts > HM_HIGHEST_COUNT ? HM_HIGHEST_COUNT : counts; }
