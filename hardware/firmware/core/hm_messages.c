#include <string.h>

#include "hm_chip.h"
#include "hm_core.h"
#include "hm_port.h"

uint16_t hm_crc(uint16_t crc, uint8_t byte) {
    /* polynomial 0x1021 without a table: a table would take a quarter of a small chip's memory */
    uint8_t x = (uint8_t)(crc >> 8 ^ byte);
    x ^= (uint8_t)(x >> 4);
    return (uint16_t)(crc << 8 ^ (uint16_t)x << 12 ^ (uint16_t)x << 5 ^ x);
}

void hm_cobs_pack(uint8_t *buffer, uint8_t length) {
    uint8_t code_at = 0;
    for (uint8_t i = 1; i <= length; i++) {
        if (buffer[i] == 0) {
            buffer[code_at] = (uint8_t)(i - code_at);
            code_at = i;
        }
    }
    buffer[code_at] = (uint8_t)(length + 1 - code_at);
}

bool hm_cobs_unpack(uint8_t *buffer, uint8_t length) {
    uint8_t at = 0;
    while (at < length) {
        uint8_t code = buffer[at];
        if (code > length - at)
            return false;
        buffer[at] = 0;
        at = (uint8_t)(at + code);
    }
    return true;
}

void hm_put8(hm_message *message, uint8_t value) { message->bytes[++message->used] = value; }

void hm_put16(hm_message *message, uint16_t value) {
    hm_put8(message, (uint8_t)value);
    hm_put8(message, (uint8_t)(value >> 8));
}

void hm_put32(hm_message *message, uint32_t value) {
    hm_put16(message, (uint16_t)value);
    hm_put16(message, (uint16_t)(value >> 16));
}

void hm_put_text(hm_message *message, const char *flash_text) {
    for (uint8_t byte; (byte = hm_flash8(flash_text)) != 0; flash_text++)
        hm_put8(message, byte);
}

void hm_begin(hm_core *core, uint8_t type, uint32_t now_ms) {
    core->out.used = 0;
    hm_put8(&core->out, HM_VERSION << 4 | type);
    hm_put8(&core->out, core->seq++);
    hm_put32(&core->out, now_ms);
}

bool hm_end(hm_core *core, bool answer) {
    hm_message *out = &core->out;
    uint16_t crc = HM_CRC_START;
    for (uint8_t i = 1; i <= out->used; i++)
        crc = hm_crc(crc, out->bytes[i]);
    hm_put8(out, (uint8_t)(crc >> 8));
    hm_put8(out, (uint8_t)crc);
    hm_cobs_pack(out->bytes, out->used);
    out->bytes[++out->used] = 0;
    bool taken = hm_chip_send(out->bytes, (uint8_t)(out->used + 1), answer);
    if (!taken)
        core->flags |= HM_FRAME_FLAG_QUEUE_FULL;
    return taken;
}

static const char HM_FLASH board_id[] = HM_BOARD_ID;
static const char HM_FLASH firmware[] = HM_FIRMWARE;

void hm_say_hello(hm_core *core, uint32_t now_ms) {
    hm_message *out = &core->out;
    hm_begin(core, HM_HELLO, now_ms);
    hm_put8(out, HM_VERSION);
    hm_put8(out, HM_SENSING);
    hm_put8(out, core->reset_cause);
    hm_put8(out, hm_sensors_calibrated(&core->sensors));
    hm_put8(out, HM_SQUARES);
    hm_put8(out, HM_CHANNELS);
    hm_put16(out, HM_SCAN_HZ);
    hm_put32(out, core->boot_count);
    hm_put16(out, HM_FINGERPRINT);
    hm_put8(out, sizeof board_id - 1);
    hm_put_text(out, board_id);
    hm_put8(out, sizeof firmware - 1);
    hm_put_text(out, firmware);
    hm_end(core, true);
}

void hm_say_keyframe(hm_core *core, uint32_t now_ms, bool answer) {
    hm_message *out = &core->out;
    uint8_t confessed = core->flags;
    if (!hm_sensors_calibrated(&core->sensors))
        confessed |= HM_FRAME_FLAG_UNCALIBRATED;
    hm_begin(core, HM_KEYFRAME, now_ms);
    hm_put8(out, confessed);
    hm_put8(out, HM_SQUARES);
    memcpy(out->bytes + out->used + 1, core->readings, HM_READING_BYTES);
    out->used = (uint8_t)(out->used + HM_READING_BYTES);
    if (hm_end(core, answer))
        core->flags = 0;
    core->sent = true;
    core->sent_ms = now_ms;
}
