/* The Pico's main.c with a flash of its own: each line of stdin is a start of the board, each line of stdout what it finds and keeps.
 *
 *   keep BYTE            start, fill the store with BYTE
 *   cut AFTER BYTE       the same, and the power fails after so many bytes were written (the erasing comes first: -1 fails within it)
 *   send FIFO READS LENGTH COUNT   COUNT answers of LENGTH bytes through a FIFO of FIFO bytes; the host takes READS of them each ms
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pico_double.h"

#define main pico_main
#include "main.c"
#undef main

uint8_t flash[PICO_FLASH_SIZE_BYTES];
static vreg_and_chip_reset_hw_t reset_register;
vreg_and_chip_reset_hw_t *vreg_and_chip_reset_hw = &reset_register;
static jmp_buf power_fails;
static long lasts;
static uint32_t now_ms;

static void spend(void) {
    if (lasts-- == 0)
        longjmp(power_fails, 1);
}

void flash_range_erase(uint32_t at, size_t count) {
    if (at % FLASH_SECTOR_SIZE || count % FLASH_SECTOR_SIZE || at + count > sizeof flash)
        abort();
    for (size_t i = 0; i < count; i++) {
        flash[at + i] = 0xff;
        if (i == count / 2)
            spend();
    }
}

void flash_range_program(uint32_t at, const uint8_t *data, size_t count) {
    if (at % 256 || count % 256 || at + count > sizeof flash)
        abort();
    for (size_t i = 0; i < count; i++) {
        spend();
        flash[at + i] &= data[i]; /* programming only clears bits */
    }
}

uint32_t save_and_disable_interrupts(void) { return 7; }
void restore_interrupts(uint32_t status) {
    if (status != 7)
        abort();
}
absolute_time_t get_absolute_time(void) { return now_ms++; }
uint32_t to_ms_since_boot(absolute_time_t at) { return (uint32_t)at; }
int getchar_timeout_us(uint32_t timeout_us) { return timeout_us ? 0 : -1; }
static unsigned fifo_size, host_takes;
static uint32_t fifo_used, passed;
static uint8_t seen[1 << 16];
static unsigned parts;
int stdio_put_string(const char *text, int length, bool newline, bool cr_translation) {
    if (newline || cr_translation || length < 1 || (uint32_t)length > fifo_size - fifo_used)
        abort(); /* with more than there is room for, the SDK's own would wait here for half a second */
    fifo_used += (uint32_t)length;
    parts++;
    for (int i = 0; i < length; i++)
        seen[passed++ % sizeof seen] = (uint8_t)text[i];
    return length;
}
void stdio_flush(void) {}
bool stdio_init_all(void) { return true; }
void watchdog_update(void) {}
void watchdog_enable(uint32_t delay_ms, bool pause_on_debug) { (void)delay_ms, (void)pause_on_debug; }
bool watchdog_enable_caused_reboot(void) { return false; }
uint32_t tud_cdc_write_available(void) { return fifo_size - fifo_used; }
void hm_pico_sensors_begin(void) {}
void hm_start(hm_core *started, uint8_t cause, uint32_t at_ms) { (void)started, (void)cause, (void)at_ms; }
void hm_step(hm_core *stepped) { (void)stepped; }

static void start(void) {
    memset(&newest, 0, sizeof newest);
    newest_sector = 0;
    store_changed = false;
    load_store();
}

static void keep(uint8_t byte) {
    for (uint16_t at = 0; at < HM_STORE_BYTES; at++)
        hm_chip_store(at, byte);
    hm_chip_commit();
}

/* Sends, and then lets the host read until nothing comes any more; says what was taken, what came, and how long sending took. */
static void send(unsigned length, unsigned count) {
    uint8_t frame[256];
    unsigned taken = 0;
    uint32_t since_ms = now_ms;
    out_first = out_next = passed = fifo_used = parts = 0;
    for (unsigned i = 0; i < count; i++) {
        memset(frame, (int)(i + 1), sizeof frame);
        taken += hm_chip_send(frame, (uint8_t)length, true);
    }
    uint32_t took_ms = now_ms - since_ms;
    for (; host_takes && (fifo_used || out_next != out_first); pump())
        fifo_used -= fifo_used < host_takes ? fifo_used : host_takes;
    bool whole = passed == taken * length;
    for (uint32_t i = 0; i < passed; i++)
        whole = whole && seen[i] == (uint8_t)(i / length + 1);
    uint32_t came = passed;
    unsigned asked = parts;
    bool more = hm_chip_send(frame, 33, false);
    printf("taken %u passed %u %s in %u ms, keyframe %s, %u parts\n", taken, (unsigned)came, whole ? "whole" : "torn", (unsigned)took_ms,
           more ? "taken" : "dropped", asked);
}

int main(void) {
    char line[64];
    memset(flash, 0xff, sizeof flash);
    while (fgets(line, sizeof line, stdin)) {
        long after = 0;
        unsigned byte = 0, length = 0, count = 0;
        start();
        uint8_t first = hm_chip_load(0), same = 1;
        for (uint16_t at = 1; at < HM_STORE_BYTES; at++)
            same = same && hm_chip_load(at) == first;
        printf("%s %u\n", same ? "whole" : "torn", first);
        if (sscanf(line, "keep %u", &byte) == 1) {
            lasts = -1;
            keep((uint8_t)byte);
        } else if (sscanf(line, "cut %ld %u", &after, &byte) == 2) {
            lasts = after + 1;
            if (!setjmp(power_fails))
                keep((uint8_t)byte);
        } else if (sscanf(line, "send %u %u %u %u", &fifo_size, &host_takes, &length, &count) == 4) {
            send(length, count);
        }
    }
    (void)pico_main;
    return 0;
}
