#include "hm_chip.h"
#include "hm_core.h"
#include "hm_port.h"

const char HM_FLASH hm_tested_name[] = "spare input ";

void hm_sensors_start(hm_sensors *sensors) { (void)sensors; }

bool hm_sensors_scan(hm_sensors *sensors, uint8_t *readings) {
    hm_chip_latch();
    for (uint8_t chip = 0; chip < HM_CHIPS; chip++)
        sensors->inputs[chip] = hm_chip_shift();
    return hm_sensors_judge(sensors, readings);
}

static bool has_magnet(const hm_sensors *sensors, uint8_t channel) {
    /* the outputs are open drains: a sensor pulls its input down when a magnet is there */
    return !(sensors->inputs[channel / HM_CHANNELS_PER_CHIP] >> channel % HM_CHANNELS_PER_CHIP & 1);
}

bool hm_sensors_judge(hm_sensors *sensors, uint8_t *readings) {
    bool changed = false;
    for (uint8_t channel = 0; channel < HM_CHANNELS; channel++) {
        uint8_t square = hm_flash8(&hm_square_of_channel[channel]);
        if (square == HM_NO_SQUARE)
            continue;
        uint8_t reading = has_magnet(sensors, channel) ? HM_READING_RED : HM_READING_EMPTY;
        if (reading != hm_reading(readings, square)) {
            hm_set_reading(readings, square, reading);
            changed = true;
        }
    }
    return changed;
}

bool hm_sensors_calibrated(const hm_sensors *sensors) {
    (void)sensors;
    return true;
}

uint16_t hm_sensors_raw(const hm_sensors *sensors, const uint8_t *readings, uint8_t square) {
    (void)sensors;
    return hm_reading(readings, square);
}

bool hm_sensors_broken(const hm_sensors *sensors, uint8_t number, uint16_t *value) {
    /* spare inputs are tied high: if one reads low, the chain is cut, or its data line is shorted */
    *value = has_magnet(sensors, number);
    return *value && hm_flash8(&hm_square_of_channel[number]) == HM_NO_SQUARE;
}

static const hm_outcome nothing_to_set = {HM_ACK_RESULT_UNKNOWN_COMMAND, 0};

hm_outcome hm_sensors_set_thresholds(hm_sensors *sensors, uint16_t on_permille, uint16_t off_permille) {
    (void)sensors, (void)on_permille, (void)off_permille;
    return nothing_to_set;
}

hm_outcome hm_sensors_set_zero(hm_sensors *sensors, uint8_t square, uint16_t counts) {
    (void)sensors, (void)square, (void)counts;
    return nothing_to_set;
}

hm_outcome hm_sensors_set_gain(hm_sensors *sensors, uint8_t square, uint8_t pole, int16_t counts) {
    (void)sensors, (void)square, (void)pole, (void)counts;
    return nothing_to_set;
}

void hm_sensors_save(hm_sensors *sensors) { (void)sensors; }
