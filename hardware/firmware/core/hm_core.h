/* The firmware without a chip: readings in, the wire's bytes out. Time is an argument; all state is in hm_core.
 *
 * A chip folder gives it pins, a line, a store and a clock (hm_chip.h) and calls hm_start once, then hm_step for ever.
 * simulator/firmware.py says the same in Python; tests/firmware proves that both send the same bytes. */
#ifndef HM_CORE_H
#define HM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "hm_board.h"
#include "hm_sensing.h"
#include "hm_wire.h"

#define HM_FIRMWARE "hallmarshal 0.1"
#define HM_PACKED_BYTES (HM_MAX_BODY + 3) /* body, two bytes of CRC, one of COBS */
#define HM_FRAME_BYTES (HM_PACKED_BYTES + 1)
#define HM_READING_BYTES ((HM_SQUARES + 3) / 4)
#define HM_EVERY_SQUARE 255

/* A message on its way: COBS's byte, then the body. */
typedef struct {
    uint8_t bytes[HM_FRAME_BYTES];
    uint8_t used;
} hm_message;

/* What was heard since the last end byte. */
typedef struct {
    uint8_t bytes[HM_PACKED_BYTES];
    uint8_t used;
    bool too_long;
} hm_ear;

typedef struct {
    hm_sensors sensors;
    uint8_t readings[HM_READING_BYTES]; /* two bits a square, as a KEYFRAME carries them */
    hm_message out;
    hm_ear ear;
    uint32_t boot_count;
    uint32_t due_ms;     /* of the next scan */
    uint32_t changed_ms; /* of the last scan that found a change */
    uint32_t sent_ms;    /* of the last KEYFRAME */
    uint8_t reset_cause;
    uint8_t seq;
    uint8_t flags;   /* what the next KEYFRAME must confess */
    bool changed;    /* a reading changed since the last scan was judged */
    bool active;     /* a reading changed within the last HM_ACTIVE_MS */
    bool sent;       /* a KEYFRAME was sent since the start */
} hm_core;

/* Begins one power-on: counts it, reads the calibration, says HELLO. */
void hm_start(hm_core *core, uint8_t reset_cause, uint32_t now_ms);

/* Hears some of what has come, one command at most once a scan is due, and scans if one is. */
void hm_step(hm_core *core);

/* Takes one byte of the host's. A whole command is carried out and answered at once. */
void hm_hear(hm_core *core, uint8_t byte, uint32_t now_ms);

/* Scans every square once and sends the KEYFRAME that is due after it. */
void hm_scan(hm_core *core, uint32_t now_ms);

/* Gives what a square reads: HM_READING_... */
uint8_t hm_reading(const uint8_t *readings, uint8_t square);
void hm_set_reading(uint8_t *readings, uint8_t square, uint8_t reading);

/* Messages. Each gives false if the line had no room; the next KEYFRAME then says so. An answer waits for room. */
void hm_begin(hm_core *core, uint8_t type, uint32_t now_ms);
void hm_put8(hm_message *message, uint8_t value);
void hm_put16(hm_message *message, uint16_t value);
void hm_put32(hm_message *message, uint32_t value);
void hm_put_text(hm_message *message, const char *flash_text);
bool hm_end(hm_core *core, bool answer);
void hm_say_hello(hm_core *core, uint32_t now_ms);
void hm_say_keyframe(hm_core *core, uint32_t now_ms, bool answer);

/* Carries out the command of a body that came whole; a body that makes no sense is dropped. */
void hm_obey(hm_core *core, const uint8_t *body, uint8_t length, uint32_t now_ms);

/* CRC-16/CCITT-FALSE, one byte further. */
uint16_t hm_crc(uint16_t crc, uint8_t byte);

/* Packs length bytes in place: they begin at buffer[1], and buffer[0] and every zero become COBS's codes. */
void hm_cobs_pack(uint8_t *buffer, uint8_t length);

/* Unpacks in place: the data begins at buffer[1]. Gives false if a code points beyond the end. */
bool hm_cobs_unpack(uint8_t *buffer, uint8_t length);

/* Counts this start in the store, where two copies stand so that a power cut spoils one at most. */
uint32_t hm_count_boot(void);

#endif
