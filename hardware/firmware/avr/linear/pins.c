/* Multiplexers on the converter's inputs. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <util/delay.h>

#include "hm_avr.h"
#include "hm_chip.h"
#include "hm_pins.h"

#define SELECT_MASK (uint8_t)(15 << HM_SELECT_BIT)
#define SAMPLING_US 5 /* 1.5 clocks of the converter until it holds the voltage, and up to one until it begins */

void hm_avr_sensors_begin(void) {
    HM_SELECT_DDR |= SELECT_MASK;
    ADMUX = 1 << REFS0 | HM_SENSE_FIRST; /* the supply is the reference, as it is the sensors' */
    /* 500 kHz: 26 us a conversion. It costs a count of accuracy, and a centred magnet gives more than a hundred. */
    ADCSRA = 1 << ADEN | 1 << ADIE | 1 << ADPS2 | 1 << ADPS0;
}

EMPTY_INTERRUPT(ADC_vect)

void hm_chip_select(uint8_t input) {
    HM_SELECT_PORT = (uint8_t)((HM_SELECT_PORT & ~SELECT_MASK) | (uint8_t)(input << HM_SELECT_BIT));
}

void hm_chip_begin(uint8_t multiplexer) {
    ADMUX = (uint8_t)(1 << REFS0 | (HM_SENSE_FIRST + multiplexer));
    ADCSRA |= 1 << ADSC;
    _delay_us(SAMPLING_US);
}

uint16_t hm_chip_counts(void) {
    for (;;) { /* the chip sleeps while it converts: less noise */
        cli();
        if (!(ADCSRA & 1 << ADSC))
            break;
        sei(); /* takes effect after the next instruction: an end of conversion is not slept through */
        sleep_cpu();
    }
    sei();
    return ADC;
}
