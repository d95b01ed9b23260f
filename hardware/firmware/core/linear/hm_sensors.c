#include "hm_chip.h"
#include "hm_core.h"
#include "hm_linear.h"
#include "hm_port.h"

#define MEASURE_ZERO 65535
#define MEASURE_GAIN 0
#define LEAST_GAIN 20 /* counts: with less the thresholds would lie inside the converter's own noise */
#define REACH 2       /* squares: a magnet is corrected for on the 24 squares round it */

const char HM_FLASH hm_tested_name[] = "square ";

void hm_sensors_start(hm_sensors *sensors) {
    sensors->calibrated = hm_calibration_load(sensors);
    if (sensors->calibrated)
        return;
    sensors->generation = 0;
    sensors->on_permille = HM_ON_PERMILLE;
    sensors->off_permille = HM_OFF_PERMILLE;
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        sensors->zero[square] = HM_DEFAULT_ZERO;
        sensors->gain[square] = HM_DEFAULT_GAIN;
    }
}

bool hm_sensors_scan(hm_sensors *sensors, uint8_t *readings) {
    for (uint8_t input = 0; input < HM_CHANNELS_PER_CHIP; input++) {
        hm_chip_select(input);
        for (uint8_t chip = 0; chip < HM_CHIPS; chip++) {
            uint8_t square = hm_flash8(&hm_square_of_channel[chip * HM_CHANNELS_PER_CHIP + input]);
            if (square != HM_NO_SQUARE)
                sensors->raw[square] = hm_chip_convert(chip);
        }
    }
    return hm_sensors_judge(sensors, readings);
}

static uint8_t reading_of(const hm_sensors *sensors, uint8_t square) {
    int16_t gain = sensors->gain[square];
    int16_t added = (int16_t)(sensors->raw[square] - sensors->zero[square]);
    /* the strength, times the gain so that nothing is divided: whole numbers come out the same on every machine */
    int32_t value = (int32_t)added * HM_FULL_FIELD - (int32_t)sensors->correction[square] * gain;
    if (gain < 0) {
        value = -value;
        gain = (int16_t)-gain;
    }
    int32_t size = value < 0 ? -value : value;
    int32_t unit = (int32_t)gain * (HM_FULL_FIELD / 1000);
    if (size <= unit * sensors->off_permille)
        return HM_READING_EMPTY;
    if (size < unit * sensors->on_permille)
        return HM_READING_UNSURE;
    return value > 0 ? HM_READING_RED : HM_READING_BLUE;
}

static int8_t pole_of(uint8_t reading) {
    return (int8_t)(reading == HM_READING_RED ? 1 : reading == HM_READING_BLUE ? -1 : 0);
}

static void correct_neighbours(hm_sensors *sensors, uint8_t square, int8_t step) {
    uint8_t column = hm_flash8(&hm_place_of_square[square][0]), row = hm_flash8(&hm_place_of_square[square][1]);
    for (int8_t down = -REACH; down <= REACH; down++) {
        uint8_t y = (uint8_t)(row + down);
        for (int8_t right = -REACH; y < HM_ROWS && right <= REACH; right++) {
            uint8_t x = (uint8_t)(column + right);
            if (x >= HM_COLUMNS || (!right && !down))
                continue;
            uint8_t neighbour = hm_flash8(&hm_square_at[y][x]);
            if (neighbour == HM_NO_SQUARE)
                continue;
            int16_t share = (int16_t)hm_flash16(&hm_share_at[down < 0 ? -down : down][right < 0 ? -right : right]);
            sensors->correction[neighbour] = (int16_t)(sensors->correction[neighbour] + step * share);
        }
    }
}

bool hm_sensors_judge(hm_sensors *sensors, uint8_t *readings) {
    bool changed = false;
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        uint8_t before = hm_reading(readings, square), reading = reading_of(sensors, square);
        if (reading == before)
            continue;
        changed = true;
        hm_set_reading(readings, square, reading);
        int8_t step = (int8_t)(pole_of(reading) - pole_of(before));
        if (step)
            correct_neighbours(sensors, square, step);
    }
    return changed;
}

bool hm_sensors_calibrated(const hm_sensors *sensors) { return sensors->calibrated; }

uint16_t hm_sensors_raw(const hm_sensors *sensors, const uint8_t *readings, uint8_t square) {
    (void)readings;
    return sensors->raw[square];
}

bool hm_sensors_broken(const hm_sensors *sensors, uint8_t number, uint16_t *value) {
    *value = sensors->raw[number];
    return *value == 0 || *value >= HM_HIGHEST_COUNT;
}

hm_outcome hm_sensors_set_thresholds(hm_sensors *sensors, uint16_t on_permille, uint16_t off_permille) {
    if (off_permille == 0 || off_permille >= on_permille || on_permille >= 1000)
        return (hm_outcome){HM_ACK_RESULT_BAD_ARGUMENT, 0};
    sensors->on_permille = on_permille;
    sensors->off_permille = off_permille;
    return (hm_outcome){HM_ACK_RESULT_DONE, 0};
}

hm_outcome hm_sensors_set_zero(hm_sensors *sensors, uint8_t square, uint16_t counts) {
    bool no_square = square >= HM_SQUARES && square != HM_EVERY_SQUARE;
    if (no_square || (counts > HM_HIGHEST_COUNT && counts != MEASURE_ZERO))
        return (hm_outcome){HM_ACK_RESULT_BAD_ARGUMENT, 0};
    for (uint8_t number = 0; number < HM_SQUARES; number++)
        if (number == square || square == HM_EVERY_SQUARE)
            sensors->zero[number] = counts == MEASURE_ZERO ? sensors->raw[number] : counts;
    return (hm_outcome){HM_ACK_RESULT_DONE, 0};
}

hm_outcome hm_sensors_set_gain(hm_sensors *sensors, uint8_t square, uint8_t pole, int16_t counts) {
    bool no_square = square >= HM_SQUARES && square != HM_EVERY_SQUARE;
    bool no_pole = pole != HM_READING_RED && pole != HM_READING_BLUE;
    if (no_square || no_pole || counts > HM_HIGHEST_COUNT || counts < -HM_HIGHEST_COUNT)
        return (hm_outcome){HM_ACK_RESULT_BAD_ARGUMENT, 0};
    uint8_t failed = 0;
    for (uint8_t number = 0; number < HM_SQUARES; number++) {
        if (number != square && square != HM_EVERY_SQUARE)
            continue;
        int16_t added = counts == MEASURE_GAIN ? (int16_t)(sensors->raw[number] - sensors->zero[number]) : counts;
        if (added < LEAST_GAIN && added > -LEAST_GAIN)
            failed++; /* too little to be a magnet */
        else
            sensors->gain[number] = pole == HM_READING_RED ? added : (int16_t)-added;
    }
    return (hm_outcome){failed ? HM_ACK_RESULT_FAILED : HM_ACK_RESULT_DONE, failed};
}
