#include "hm_core.h"

#include <string.h>

#include "hm_chip.h"

#define COUNTER_BYTES 6 /* a count of starts and its CRC */
#define HEARD_AT_ONCE 64 /* bytes between two looks at the clock: a host that never stops must not stop the scan */

void hm_start(hm_core *core, uint8_t reset_cause, uint32_t now_ms) {
    memset(core, 0, sizeof *core);
    core->boot_count = hm_count_boot();
    core->reset_cause = reset_cause;
    core->due_ms = now_ms;
    hm_sensors_start(&core->sensors);
    core->changed = hm_sensors_scan(&core->sensors, core->readings); /* no command may find counts that were never read */
    hm_say_hello(core, now_ms);
}

static bool is_due(const hm_core *core, uint32_t now_ms) { return now_ms - core->due_ms < UINT32_MAX / 2; }

void hm_step(hm_core *core) {
    uint32_t now_ms = hm_chip_now_ms();
    uint8_t byte = 1;
    for (uint8_t heard = 0; heard < HEARD_AT_ONCE && hm_chip_receive(&byte); heard++) {
        hm_hear(core, byte, now_ms);
        now_ms = hm_chip_now_ms(); /* a command may take its time */
        if (byte == 0 && is_due(core, now_ms))
            break; /* one command between two scans, however many wait */
    }
    if (!is_due(core, now_ms))
        return;
    uint32_t behind_ms = now_ms - core->due_ms;
    if (behind_ms >= HM_PERIOD_MS)
        core->flags |= HM_FRAME_FLAG_SCAN_LATE;
    core->due_ms += (behind_ms / HM_PERIOD_MS + 1) * HM_PERIOD_MS; /* what was missed is left out, never made up for */
    hm_chip_mark(true);
    hm_scan(core, now_ms);
    hm_chip_mark(false);
}

void hm_scan(hm_core *core, uint32_t now_ms) {
    if (hm_sensors_scan(&core->sensors, core->readings))
        core->changed = true;
    if (core->changed) {
        core->changed = false;
        core->active = true;
        core->changed_ms = now_ms;
    }
    if (core->active && now_ms - core->changed_ms > HM_ACTIVE_MS)
        core->active = false;
    if (core->active || !core->sent || now_ms - core->sent_ms >= HM_IDLE_MS)
        hm_say_keyframe(core, now_ms, false);
}

void hm_hear(hm_core *core, uint8_t byte, uint32_t now_ms) {
    hm_ear *ear = &core->ear;
    if (byte != 0) {
        if (ear->used == HM_PACKED_BYTES)
            ear->too_long = true;
        else
            ear->bytes[ear->used++] = byte;
        return;
    }
    uint8_t length = ear->used;
    bool whole = !ear->too_long && length > HM_HOST_HEAD_BYTES + 2 && hm_cobs_unpack(ear->bytes, length);
    ear->used = 0;
    ear->too_long = false;
    if (!whole)
        return;
    uint16_t crc = HM_CRC_START;
    for (uint8_t i = 1; i < length; i++)
        crc = hm_crc(crc, ear->bytes[i]);
    if (crc == 0) /* over body and CRC the sum is 0 */
        hm_obey(core, ear->bytes + 1, (uint8_t)(length - 3), now_ms);
}

uint8_t hm_reading(const uint8_t *readings, uint8_t square) {
    return (uint8_t)(readings[square / 4] >> 2 * (square % 4) & 3);
}

void hm_set_reading(uint8_t *readings, uint8_t square, uint8_t reading) {
    uint8_t shift = (uint8_t)(2 * (square % 4));
    readings[square / 4] = (uint8_t)((readings[square / 4] & ~(3 << shift)) | reading << shift);
}

static bool load_counter(uint8_t copy, uint32_t *count) {
    uint16_t crc = HM_CRC_START;
    uint32_t found = 0;
    for (uint8_t i = 0; i < COUNTER_BYTES; i++) {
        uint8_t byte = hm_chip_load((uint16_t)(copy * COUNTER_BYTES + i));
        crc = hm_crc(crc, byte);
        if (i < 4)
            found |= (uint32_t)byte << 8 * i;
    }
    *count = found;
    return crc == 0;
}

uint32_t hm_count_boot(void) {
    uint32_t counts[2], last = 0;
    uint8_t older = 0;
    bool good[2];
    for (uint8_t copy = 0; copy < 2; copy++) {
        good[copy] = load_counter(copy, &counts[copy]);
        if (good[copy] && counts[copy] >= last) {
            last = counts[copy];
            older = (uint8_t)(1 - copy);
        }
    }
    uint32_t now = last + 1;
    uint16_t crc = HM_CRC_START, at = (uint16_t)(older * COUNTER_BYTES);
    for (uint8_t i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(now >> 8 * i);
        crc = hm_crc(crc, byte);
        hm_chip_store(at++, byte);
    }
    hm_chip_store(at++, (uint8_t)(crc >> 8));
    hm_chip_store(at, (uint8_t)crc);
    hm_chip_commit();
    return now;
}
