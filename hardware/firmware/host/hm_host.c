/* The core on this machine, for tests: a line on stdin, the bytes that the firmware sends in hex on stdout.
 *
 *   boot CAUSE MS          a power-on; the store stays
 *   erase                  an erased store
 *   spoil AT               one byte of the store is inverted
 *   write-limit N          from now on only N bytes reach the store: the power fails
 *   scan MS VALUE...       one scan; a value for every channel, in counts, or 1 for a magnet
 *   hear MS HEX            bytes of the host's
 *   room N                 the line takes N bytes more (-1: as many as come)
 *   steps MS COUNT EVERY   COUNT calls of hm_step, EVERY ms apart
 *   flood MS UNTIL HEX     calls of hm_step from MS to UNTIL while the host says HEX again and again, eight bytes a ms
 *   fuzz SEED COUNT        COUNT random and mutated commands, for the sanitizers; answers with how many were answered
 *   store                  the store in hex instead of what was sent */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hm_chip.h"
#include "hm_core.h"

static hm_core core;
static uint8_t store[HM_STORE_BYTES];
static uint16_t values[HM_CHANNELS], converted;
static uint8_t heard[4096], sent[1 << 20];
static size_t heard_count, heard_at, sent_count;
static long room = -1, write_limit = -1;
static uint32_t now_ms;
static uint8_t selected, shifted;
static unsigned long answered;
static bool counting;
static uint32_t flooded_until_ms, flood_count;

uint32_t hm_chip_now_ms(void) { return now_ms; }

bool hm_chip_receive(uint8_t *byte) {
    if (flooded_until_ms && heard_at == heard_count)
        heard_at = 0;
    if (heard_at == heard_count)
        return false;
    if (flooded_until_ms && ++flood_count % 8 == 0 && ++now_ms > flooded_until_ms + 60000)
        exit(3); /* it listens to nothing else any more */
    *byte = heard[heard_at++];
    return true;
}

bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait) {
    (void)wait;
    answered++;
    if (room >= 0 && room < length)
        return false;
    if (room >= 0)
        room -= length;
    if (counting)
        return true;
    if (sent_count + length > sizeof sent)
        abort();
    memcpy(sent + sent_count, frame, length);
    sent_count += length;
    return true;
}

void hm_chip_select(uint8_t input) { selected = input; }

void hm_chip_begin(uint8_t multiplexer) { converted = values[multiplexer * HM_CHANNELS_PER_CHIP + selected]; }

uint16_t hm_chip_counts(void) { return converted; }

void hm_chip_latch(void) { shifted = 0; }

uint8_t hm_chip_shift(void) {
    uint8_t found = 0;
    for (uint8_t input = 0; input < 8; input++)
        if (!values[shifted * 8 + input])
            found = (uint8_t)(found | 1 << input);
    shifted++;
    return found;
}

uint8_t hm_chip_load(uint16_t at) {
    if (at >= HM_STORE_BYTES)
        abort();
    return store[at];
}

void hm_chip_store(uint16_t at, uint8_t byte) {
    if (at >= HM_STORE_BYTES)
        abort();
    if (write_limit == 0)
        return;
    if (write_limit > 0)
        write_limit--;
    store[at] = byte;
}

void hm_chip_commit(void) {}

void hm_chip_mark(bool begins) { (void)begins; }

static uint32_t random_state;

static uint32_t random_number(void) { /* xorshift32: the same numbers everywhere */
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void fuzz(uint32_t seed, unsigned long count) {
    static const uint8_t payload[8] = {0, HM_ASK_KEYFRAME_BYTES, HM_THRESHOLDS_BYTES, HM_ZERO_BYTES, HM_GAIN_BYTES, 0, 0, 0};
    uint8_t frame[HM_FRAME_BYTES];
    random_state = seed ? seed : 1;
    counting = true;
    answered = 0;
    for (unsigned long i = 0; i < count; i++) {
        uint8_t type = (uint8_t)(random_number() % 8);
        uint8_t length = (uint8_t)(HM_HOST_HEAD_BYTES + (random_number() % 4 ? payload[type] : random_number() % 8));
        for (uint8_t at = 1; at <= length; at++)
            frame[at] = (uint8_t)(random_number() % 3 ? random_number() % 100 : random_number());
        if (random_number() % 8)
            frame[1] = (uint8_t)(HM_VERSION << 4 | (8 + type));
        uint16_t crc = HM_CRC_START;
        for (uint8_t at = 1; at <= length; at++)
            crc = hm_crc(crc, frame[at]);
        frame[length + 1] = (uint8_t)(crc >> 8);
        frame[length + 2] = (uint8_t)crc;
        hm_cobs_pack(frame, (uint8_t)(length + 2));
        if (random_number() % 4 == 0)
            frame[random_number() % (length + 3u)] ^= (uint8_t)(1 << random_number() % 8);
        for (uint8_t at = 0; at < length + 3; at++)
            hm_hear(&core, frame[at], now_ms);
        for (uint32_t noise = random_number() % 16 ? 0 : random_number() % 200; noise; noise--)
            hm_hear(&core, (uint8_t)random_number(), now_ms);
        hm_hear(&core, 0, now_ms);
        for (uint16_t channel = 0; channel < HM_CHANNELS; channel++)
            values[channel] = (uint16_t)(random_number() & 1023);
        hm_scan(&core, now_ms += random_number() % 600);
    }
    counting = false;
    printf("%lu\n", answered);
}

static void print_hex(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void take_hex(const char *text) {
    unsigned byte;
    heard_count = heard_at = 0;
    while (sscanf(text, " %2x", &byte) == 1 && heard_count < sizeof heard) {
        heard[heard_count++] = (uint8_t)byte;
        text += 2;
    }
}

static void take_values(const char *text) {
    char *end;
    for (uint16_t channel = 0; channel < HM_CHANNELS; channel++) {
        values[channel] = (uint16_t)strtoul(text, &end, 10);
        text = end;
    }
}

static void obey_line(char *line) {
    unsigned long a = 0, b = 0;
    unsigned every = 0;
    int used = 0;
    if (sscanf(line, "boot %lu %lu", &a, &b) == 2) {
        now_ms = (uint32_t)b;
        hm_start(&core, (uint8_t)a, now_ms);
    } else if (sscanf(line, "scan %lu %n", &a, &used) == 1) {
        take_values(line + used);
        hm_scan(&core, now_ms = (uint32_t)a);
    } else if (sscanf(line, "hear %lu %n", &a, &used) == 1) {
        take_hex(line + used);
        now_ms = (uint32_t)a;
        while (heard_at < heard_count)
            hm_hear(&core, heard[heard_at++], now_ms);
    } else if (sscanf(line, "steps %lu %lu %u", &a, &b, &every) == 3) {
        for (now_ms = (uint32_t)a; b; b--, now_ms += every)
            hm_step(&core);
    } else if (sscanf(line, "flood %lu %lu %n", &a, &b, &used) == 2) {
        take_hex(line + used);
        flooded_until_ms = (uint32_t)b;
        for (now_ms = (uint32_t)a; now_ms < flooded_until_ms;)
            hm_step(&core);
        flooded_until_ms = 0;
        heard_at = heard_count;
    } else if (sscanf(line, "spoil %lu", &a) == 1 && a < sizeof store) {
        store[a] ^= 0xFF;
    } else if (strncmp(line, "erase", 5) == 0) {
        memset(store, 0xFF, sizeof store);
    } else if (sscanf(line, "write-limit %ld", &write_limit) == 1 || sscanf(line, "room %ld", &room) == 1) {
    } else {
        fprintf(stderr, "hm_host: what is %s", line);
        exit(2);
    }
}

int main(void) {
    static char line[1 << 14];
    unsigned long seed, count;
    memset(store, 0xFF, sizeof store);
    while (fgets(line, sizeof line, stdin)) {
        sent_count = 0;
        if (sscanf(line, "fuzz %lu %lu", &seed, &count) == 2) {
            fuzz((uint32_t)seed, count);
        } else if (strncmp(line, "store", 5) == 0) {
            print_hex(store, sizeof store);
        } else {
            obey_line(line);
            print_hex(sent, sent_count);
        }
        fflush(stdout);
    }
    return 0;
}
