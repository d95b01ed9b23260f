/* ATmega328P and ATmega2560 at 16 MHz: clock, line, store and the main loop. The sensors' pins are in linear/ or digital/. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "hm_avr.h"
#include "hm_chip.h"
#include "hm_core.h"
#include "hm_vectors.h"

#define OUT_BYTES 256 /* the indices are bytes and wrap by themselves */
#define IN_BYTES 64
#define TICKS_PER_MS (F_CPU / 64 / 1000)

typedef char store_fits_the_eeprom[HM_STORE_BYTES <= E2END + 1 ? 1 : -1];

static hm_core core;
static volatile uint32_t now_ms;
static uint8_t out[OUT_BYTES], in[IN_BYTES];
static volatile uint8_t out_first, out_next, in_first, in_next;
static uint8_t reset_flags __attribute__((section(".noinit")));

/* Before anything else: a watchdog that restarted the chip goes on running, with the shortest time. A boot loader that took the
 * flags away (Optiboot) hands them over in r2. */
static void take_reset_flags(void) __attribute__((naked, used, section(".init3")));
static void take_reset_flags(void) {
    uint8_t handed_over;
    __asm__ volatile("mov %0, r2" : "=r"(handed_over));
    uint8_t flags = MCUSR;
    reset_flags = flags ? flags : handed_over;
    MCUSR = 0;
    wdt_disable();
}

static uint8_t reset_cause(void) {
    if (reset_flags & 0xF0) /* no flags at all: r2 held something else */
        return HM_RESET_CAUSE_UNKNOWN;
    if (reset_flags & (1 << WDRF))
        return HM_RESET_CAUSE_WATCHDOG;
    if (reset_flags & (1 << PORF)) /* before brown-out: a slow switch-on sets both */
        return HM_RESET_CAUSE_POWER_ON;
    if (reset_flags & (1 << BORF))
        return HM_RESET_CAUSE_BROWN_OUT;
    return reset_flags & (1 << EXTRF) ? HM_RESET_CAUSE_EXTERNAL : HM_RESET_CAUSE_UNKNOWN;
}

ISR(TIMER1_COMPA_vect) { now_ms++; }

uint32_t hm_chip_now_ms(void) {
    cli();
    uint32_t now = now_ms;
    sei();
    return now;
}

ISR(HM_RECEIVED_vect) {
    uint8_t byte = UDR0, next = (uint8_t)((in_next + 1) % IN_BYTES);
    if (next != in_first) { /* else it is lost, and the frame's CRC tells */
        in[in_next] = byte;
        in_next = next;
    }
}

bool hm_chip_receive(uint8_t *byte) {
    if (in_first == in_next)
        return false;
    *byte = in[in_first];
    in_first = (uint8_t)((in_first + 1) % IN_BYTES);
    return true;
}

ISR(HM_ROOM_vect) {
    UDR0 = out[out_first++];
    if (out_first == out_next)
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
}

bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait) {
    while ((uint8_t)(out_first - out_next - 1) < length) {
        if (!wait)
            return false;
        wdt_reset(); /* nothing can stop a UART: there will be room */
    }
    for (uint8_t i = 0; i < length; i++)
        out[(uint8_t)(out_next + i)] = frame[i];
    cli();
    out_next = (uint8_t)(out_next + length);
    UCSR0B |= 1 << UDRIE0;
    sei();
    return true;
}

uint8_t hm_chip_load(uint16_t at) { return eeprom_read_byte((const uint8_t *)at); }

void hm_chip_store(uint16_t at, uint8_t byte) {
    wdt_reset(); /* a byte takes 3.4 ms */
    eeprom_update_byte((uint8_t *)at, byte);
}

void hm_chip_commit(void) { eeprom_busy_wait(); }

void hm_chip_mark(bool begins) { GPIOR0 = begins; }

int main(void) {
    wdt_enable(WDTO_1S);
    TCCR1B = 1 << WGM12 | 1 << CS11 | 1 << CS10;
    OCR1A = TICKS_PER_MS - 1;
    TIMSK1 = 1 << OCIE1A;
    UCSR0A = 1 << U2X0;
    UBRR0 = (F_CPU / 4 / HM_BAUD - 1) / 2;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXCIE0 | 1 << RXEN0 | 1 << TXEN0;
    SMCR = 1 << SE; /* the lightest sleep: timer and line go on */
    hm_avr_sensors_begin();
    sei();
    hm_start(&core, reset_cause(), hm_chip_now_ms());
    for (;;) {
        wdt_reset();
        hm_step(&core);
        sleep_cpu(); /* until the next millisecond or byte */
    }
}
