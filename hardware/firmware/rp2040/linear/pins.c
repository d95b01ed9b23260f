/* Multiplexers on the converter's inputs. With six of them and three inputs, two share one and are enabled in turn. */
#include "hardware/adc.h"
#include "hm_chip.h"
#include "hm_pico.h"
#include "hm_pins.h"
#include "hm_sensors.h"
#include "pico/stdlib.h"

#define FIRST_ADC_PIN 26
#define SELECT_PINS 4
#define SETTLE_US 4
#define SAMPLES 4 /* of twelve bits: their mean, in ten bits, hides the converter's uneven steps */

static const uint8_t enable_pins[] = {HM_ENABLE_PINS};
static uint16_t counts;

void hm_pico_sensors_begin(void) {
    adc_init();
    for (uint8_t i = 0; i < HM_SENSE_COUNT; i++)
        adc_gpio_init((uint)(FIRST_ADC_PIN + HM_SENSE_FIRST + i));
    for (uint8_t i = 0; i < SELECT_PINS; i++) {
        gpio_init((uint)(HM_SELECT_PIN + i));
        gpio_set_dir((uint)(HM_SELECT_PIN + i), GPIO_OUT);
    }
    for (uint8_t i = 0; i < HM_ENABLE_COUNT; i++) {
        gpio_init(enable_pins[i]);
        gpio_put(enable_pins[i], true); /* E is low-active */
        gpio_set_dir(enable_pins[i], GPIO_OUT);
    }
}

void hm_chip_select(uint8_t input) { gpio_put_masked(15u << HM_SELECT_PIN, (uint32_t)input << HM_SELECT_PIN); }

void hm_chip_begin(uint8_t multiplexer) {
    uint8_t round = multiplexer / HM_SENSE_COUNT;
    for (uint8_t i = 0; i < HM_ENABLE_COUNT; i++)
        gpio_put(enable_pins[i], i != round);
    adc_select_input((uint)(HM_SENSE_FIRST + multiplexer % HM_SENSE_COUNT));
    busy_wait_us(SETTLE_US);
    uint16_t sum = 0;
    for (uint8_t i = 0; i < SAMPLES; i++)
        sum = (uint16_t)(sum + adc_read());
    counts = (uint16_t)(sum / SAMPLES >> 2);
}

uint16_t hm_chip_counts(void) { return counts > HM_HIGHEST_COUNT ? HM_HIGHEST_COUNT : counts; }
