/* The calibration in the store. Two of them lie there and a new one overwrites the older, its CRC last: a power cut while it is
 * written costs the new one, never both. All numbers little-endian, the CRC high byte first, as on the wire. */
#include "hm_chip.h"
#include "hm_core.h"
#include "hm_linear.h"

#define MARK 0x4D48 /* "HM" */

static uint16_t start_of(uint8_t copy) { return (uint16_t)(HM_CALIBRATION_AT + copy * HM_CALIBRATION_BYTES); }

static uint16_t load16(uint16_t at) { return (uint16_t)(hm_chip_load(at) | hm_chip_load((uint16_t)(at + 1)) << 8); }

static bool is_whole(uint8_t copy) {
    uint16_t at = start_of(copy), crc = HM_CRC_START;
    if (load16(at) != MARK || load16((uint16_t)(at + 2)) != HM_FINGERPRINT)
        return false;
    for (uint16_t i = 0; i < HM_CALIBRATION_BYTES; i++)
        crc = hm_crc(crc, hm_chip_load((uint16_t)(at + i)));
    return crc == 0;
}

static uint16_t generation_of(uint8_t copy) { return load16((uint16_t)(start_of(copy) + 4)); }

bool hm_calibration_load(hm_sensors *sensors) {
    bool whole[2] = {is_whole(0), is_whole(1)};
    if (!whole[0] && !whole[1])
        return false;
    uint8_t copy = !whole[0];
    if (whole[0] && whole[1] && (int16_t)(generation_of(1) - generation_of(0)) > 0)
        copy = 1;
    uint16_t at = (uint16_t)(start_of(copy) + 4);
    uint16_t *head[4] = {&sensors->generation, &sensors->on_permille, &sensors->off_permille, &sensors->saved_supply};
    for (uint8_t i = 0; i < 4; i++, at += 2)
        *head[i] = load16(at);
    for (uint8_t square = 0; square < HM_SQUARES; square++, at += 4) {
        sensors->zero[square] = load16(at);
        sensors->gain[square] = (int16_t)load16((uint16_t)(at + 2));
    }
    return true;
}

typedef struct {
    uint16_t at, crc;
} writer;

static void store8(writer *to, uint8_t byte) {
    to->crc = hm_crc(to->crc, byte);
    hm_chip_store(to->at++, byte);
}

static void store16(writer *to, uint16_t value) {
    store8(to, (uint8_t)value);
    store8(to, (uint8_t)(value >> 8));
}

void hm_sensors_save(hm_sensors *sensors) {
    bool whole[2] = {is_whole(0), is_whole(1)};
    uint8_t copy = whole[0] && (!whole[1] || generation_of(0) == sensors->generation);
    writer to = {start_of(copy), HM_CRC_START};
    sensors->generation++;
    store16(&to, MARK);
    store16(&to, HM_FINGERPRINT);
    store16(&to, sensors->generation);
    store16(&to, sensors->on_permille);
    store16(&to, sensors->off_permille);
    sensors->saved_supply = sensors->used; /* before the first scan: as it was */
    store16(&to, sensors->saved_supply);
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        store16(&to, sensors->zero[square]);
        store16(&to, (uint16_t)sensors->gain[square]);
    }
    uint16_t crc = to.crc;
    store8(&to, (uint8_t)(crc >> 8));
    store8(&to, (uint8_t)crc);
    hm_chip_commit();
    sensors->calibrated = true;
}
