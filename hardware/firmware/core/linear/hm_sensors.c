#include "hm_chip.h"
#include "hm_core.h"
#include "hm_linear.h"
#include "hm_port.h"

#define MEASURE_ZERO 65535
#define MEASURE_GAIN 0
#define LEAST_GAIN 20 /* counts: with less the thresholds would lie inside the converter's own noise */
#define REACH 2       /* squares: a magnet is corrected for on the 24 squares round it */
#define NO_SHIFT 32768 /* counts times this, over 2^15, are what they were */

const char HM_FLASH hm_tested_name[] = "square ";

static void select(uint8_t square);
static void select_first(void);

void hm_sensors_start(hm_sensors *sensors) {
    select_first();
    sensors->ratio = NO_SHIFT;
    sensors->calibrated = hm_calibration_load(sensors);
    if (sensors->calibrated)
        return;
    sensors->generation = 0;
    sensors->saved_supply = HM_HALF_SUPPLY;
    sensors->on_permille = HM_ON_PERMILLE;
    sensors->off_permille = HM_OFF_PERMILLE;
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        sensors->zero[square] = HM_DEFAULT_ZERO;
        sensors->gain[square] = HM_DEFAULT_GAIN;
    }
}

static inline uint8_t reading_of(const hm_sensors *sensors, uint8_t square) {
    int16_t gain = sensors->gain[square];
    int16_t added = (int16_t)(sensors->raw[square] - sensors->zero[square]);
    /* The strength, times the gain so that nothing is divided: whole numbers come out the same on every machine. All factors have
     * 16 bits, which a small chip multiplies several times faster than 32. */
    int32_t value = (int32_t)added * (int16_t)HM_FULL_FIELD - (int32_t)sensors->correction[square] * gain;
    if (gain < 0) {
        value = -value;
        gain = (int16_t)-gain;
    }
    uint32_t size = (uint32_t)(value < 0 ? -value : value);
    uint16_t unit = (uint16_t)(gain * (HM_FULL_FIELD / 1000));
    if (size <= (uint32_t)unit * sensors->off_permille)
        return HM_READING_EMPTY;
    if (size < (uint32_t)unit * sensors->on_permille)
        return HM_READING_UNSURE;
    return value > 0 ? HM_READING_RED : HM_READING_BLUE;
}

static int8_t pole_of(uint8_t reading) {
    return (int8_t)(reading == HM_READING_RED ? 1 : reading == HM_READING_BLUE ? -1 : 0);
}

static uint8_t apart(uint8_t a, uint8_t b) { return a < b ? (uint8_t)(b - a) : (uint8_t)(a - b); }

static void correct_neighbours(hm_sensors *sensors, uint8_t square, int8_t step) {
    uint8_t column = hm_flash8(&hm_place_of_square[square][0]), row = hm_flash8(&hm_place_of_square[square][1]);
    uint8_t left = column < REACH ? 0 : (uint8_t)(column - REACH), right = (uint8_t)(column + REACH);
    uint8_t y = row < REACH ? 0 : (uint8_t)(row - REACH), bottom = (uint8_t)(row + REACH);
    for (; y <= bottom && y < HM_ROWS; y++) {
        const int16_t *share_at = hm_share_at[apart(y, row)];
        int16_t added[REACH + 1];
        for (uint8_t across = 0; across <= REACH; across++)
            added[across] = (int16_t)(step * (int16_t)hm_flash16(share_at + across));
        const uint8_t *at = &hm_square_at[y][left];
        for (uint8_t x = left; x <= right && x < HM_COLUMNS; x++, at++) {
            uint8_t neighbour = hm_flash8(at);
            if (neighbour != HM_NO_SQUARE) /* the share of its own square is 0 */
                sensors->correction[neighbour] = (int16_t)(sensors->correction[neighbour] + added[apart(x, column)]);
        }
    }
}

static bool judge(hm_sensors *sensors, uint8_t *readings, uint8_t square) {
    uint8_t before = hm_reading(readings, square), reading = reading_of(sensors, square);
    if (reading == before)
        return false;
    hm_set_reading(readings, square, reading);
    int8_t step = (int8_t)(pole_of(reading) - pole_of(before));
    if (step)
        correct_neighbours(sensors, square, step);
    return true;
}

static void select(uint8_t square) { hm_chip_select(hm_flash8(&hm_channel_of_square[square]) % HM_CHANNELS_PER_CHIP); }

#if HM_SUPPLY_CHANNEL == HM_NO_CHANNEL
static void select_first(void) { select(0); }
#else
static void select_first(void) { hm_chip_select(HM_SUPPLY_CHANNEL % HM_CHANNELS_PER_CHIP); }

/* Linear sensors give so much of their supply: zero and gain move with it. A divider that reads what no working supply gives (a broken
 * wire, or there is none) moves nothing. */
static void measure_supply(hm_sensors *sensors) {
    hm_chip_begin(HM_SUPPLY_CHANNEL / HM_CHANNELS_PER_CHIP);
    select(0);
    uint16_t counts = sensors->supply = hm_chip_counts();
    bool works = counts >= HM_LEAST_SUPPLY && counts <= HM_MOST_SUPPLY;
    sensors->ratio = (uint16_t)(works ? ((uint32_t)HM_HALF_SUPPLY * NO_SHIFT + counts / 2) / counts : NO_SHIFT);
}
#endif

static uint16_t at_supply(const hm_sensors *sensors, uint16_t counts) {
    if (counts == 0 || counts >= HM_HIGHEST_COUNT) /* an end of the range stays one: the self-test looks for it */
        return counts;
    uint32_t twice = 2 * ((uint32_t)counts * sensors->ratio); /* so that a high half is taken and nothing shifted by 15 */
    uint16_t moved = (uint16_t)((twice + NO_SHIFT) >> 16);
    return moved < HM_HIGHEST_COUNT ? moved : HM_HIGHEST_COUNT - 1;
}

bool hm_sensors_scan(hm_sensors *sensors, uint8_t *readings) {
    bool changed = false;
#if HM_SUPPLY_CHANNEL != HM_NO_CHANNEL
    measure_supply(sensors);
#endif
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        hm_chip_begin(hm_flash8(&hm_channel_of_square[square]) / HM_CHANNELS_PER_CHIP);
        /* while it converts, the multiplexers settle on the next square and the last one is judged */
        if (square + 1 < HM_SQUARES)
            select((uint8_t)(square + 1));
        else
            select_first();
        if (square > 0 && judge(sensors, readings, (uint8_t)(square - 1)))
            changed = true;
        sensors->raw[square] = at_supply(sensors, hm_chip_counts());
    }
    return judge(sensors, readings, HM_SQUARES - 1) || changed;
}

bool hm_sensors_judge(hm_sensors *sensors, uint8_t *readings) {
    bool changed = false;
    for (uint8_t square = 0; square < HM_SQUARES; square++)
        if (judge(sensors, readings, square))
            changed = true;
    return changed;
}

bool hm_sensors_calibrated(const hm_sensors *sensors) { return sensors->calibrated; }

uint16_t hm_sensors_raw(const hm_sensors *sensors, const uint8_t *readings, uint8_t square) {
    (void)readings;
    return square < HM_SQUARES ? sensors->raw[square] : square == HM_SQUARES ? sensors->supply : sensors->saved_supply;
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
