#include "hm_chip.h"
#include "hm_core.h"
#include "hm_linear.h"
#include "hm_port.h"

#define MEASURE_ZERO 65535
#define MEASURE_GAIN 0
#define LEAST_GAIN 20 /* counts: with less the thresholds would lie inside the converter's own noise */
#define REACH 2       /* squares: a magnet is corrected for on the 24 squares round it */
#define NO_SHIFT 32768 /* counts times this, over 2^15, are what they were */
#define NEAR 64        /* a supply that moves by less than one part in so many within LOOK_BACK scans moves slowly */
#define LOOK_BACK 16   /* scans */

const char HM_FLASH hm_tested_name[] = "square ";

static void select(uint8_t square);
static void select_first(void);
static uint16_t ratio_at(uint16_t supply);

void hm_sensors_start(hm_sensors *sensors) {
    select_first();
    sensors->saved_supply = HM_HALF_SUPPLY;
    sensors->calibrated = hm_calibration_load(sensors);
    sensors->supply = sensors->used = sensors->saved_supply;
    sensors->ratio = ratio_at(sensors->used);
    sensors->steady = false;
    sensors->scans = 0;
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

static bool works(uint16_t supply) { return supply >= HM_LEAST_SUPPLY && supply <= HM_MOST_SUPPLY; }

static uint16_t ratio_at(uint16_t supply) {
    return (uint16_t)(works(supply) ? ((uint32_t)HM_HALF_SUPPLY * NO_SHIFT + supply / 2) / supply : NO_SHIFT);
}

#if HM_SUPPLY_CHANNEL == HM_NO_CHANNEL
static void select_first(void) { select(0); }
static void measure_supply(hm_sensors *sensors) { (void)sensors; }
static void judge_supply(hm_sensors *sensors, uint16_t total) { (void)sensors, (void)total; }
#else
#define SUPPLY_INPUT (HM_SUPPLY_CHANNEL % HM_CHANNELS_PER_CHIP)

static void select_first(void) { hm_chip_select(SUPPLY_INPUT); }

static bool is_near(uint16_t counts, uint16_t before) {
    return (uint32_t)(counts > before ? counts - before : before - counts) * NEAR <= before;
}

/* Converts the input that is selected of the divider's multiplexer, and selects the next. */
static uint16_t convert(uint8_t next) {
    hm_chip_begin(HM_SUPPLY_CHANNEL / HM_CHANNELS_PER_CHIP);
    hm_chip_select(next);
    return hm_chip_counts();
}

/* Linear sensors give so much of their supply: zero and gain move with it. What the divider reads counts as the supply only while it
 * moves slowly, or all squares move with it (judge_supply); else the last that counted holds. An input that hangs in the air keeps some
 * of what the input before it gave: until something counts it is read after three others too, and has to read the same. */
static void measure_supply(hm_sensors *sensors) {
    bool first = sensors->scans == 0;
    uint8_t first_input = hm_flash8(&hm_channel_of_square[0]) % HM_CHANNELS_PER_CHIP;
    uint16_t counts = sensors->supply = convert(first_input);
    if (!sensors->steady) {
        bool same = works(counts) && (first || is_near(counts, sensors->before));
        for (uint8_t input = same ? 1 : 4; input <= 3; input++) {
            convert(SUPPLY_INPUT);
            if (!is_near(convert(input < 3 ? input : first_input), counts))
                same = false;
        }
        sensors->scans = !same ? 0 : first ? LOOK_BACK : sensors->scans; /* later so many in a row have to be alike */
        sensors->steady = same && sensors->scans >= LOOK_BACK;
        if (!same || sensors->steady)
            sensors->before = counts;
    }
    if (!sensors->steady || sensors->scans < LOOK_BACK || !works(counts) || !is_near(counts, sensors->before))
        return;
    sensors->used = counts;
    sensors->ratio = ratio_at(counts);
}

/* Whether the squares' sum (half of it: it has 16 bits) moved as the divider did: by half as much at least, by half as much again at most. */
static bool squares_moved_too(const hm_sensors *sensors, uint16_t total) {
    uint32_t now = (uint32_t)total * sensors->before, wanted = (uint32_t)sensors->total_before * sensors->supply;
    uint32_t moved = sensors->supply > sensors->before ? sensors->supply - sensors->before : sensors->before - sensors->supply;
    return 2 * (now > wanted ? now - wanted : wanted - now) <= sensors->total_before * moved;
}

static void judge_supply(hm_sensors *sensors, uint16_t total) {
    bool looks = sensors->scans % LOOK_BACK == 0, slow = is_near(sensors->supply, sensors->before);
    bool together = !slow && squares_moved_too(sensors, total);
    if (looks || !slow || !sensors->steady) /* unless they moved together this scan's may have moved already, after the divider was read */
        sensors->total_before = together || !sensors->total_last ? total : sensors->total_last;
    sensors->total_last = total;
    if (sensors->steady && (together || (looks && slow))) {
        sensors->before = sensors->supply;
        sensors->steady = works(sensors->supply);
    } else if (sensors->steady && !slow) {
        sensors->scans = 0; /* it jumped: nothing counts until LOOK_BACK scans in a row are near what counted last */
    }
    sensors->scans = (uint8_t)(sensors->scans == UINT8_MAX ? LOOK_BACK : sensors->scans + 1);
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
    uint16_t halves = 0;
    measure_supply(sensors);
    for (uint8_t square = 0; square < HM_SQUARES; square++) {
        hm_chip_begin(hm_flash8(&hm_channel_of_square[square]) / HM_CHANNELS_PER_CHIP);
        /* while it converts, the multiplexers settle on the next square and the last one is judged */
        if (square + 1 < HM_SQUARES)
            select((uint8_t)(square + 1));
        else
            select_first();
        if (square > 0 && judge(sensors, readings, (uint8_t)(square - 1)))
            changed = true;
        uint16_t counts = hm_chip_counts();
        halves = (uint16_t)(halves + (counts >> 1));
        sensors->raw[square] = at_supply(sensors, counts);
    }
    judge_supply(sensors, halves);
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
    const uint16_t supplies[] = {sensors->supply, sensors->saved_supply, sensors->used};
    return square < HM_SQUARES ? sensors->raw[square] : supplies[square - HM_SQUARES];
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
