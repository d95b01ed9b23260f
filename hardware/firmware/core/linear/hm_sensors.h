/* Linear sensors behind multiplexers: every square has its own zero and gain, and is corrected for its neighbours' magnets. */
#ifndef HM_SENSORS_H
#define HM_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "hm_board.h"

#define HM_HIGHEST_COUNT 1023 /* ten bits, whatever the chip's converter has */
#define HM_TESTED HM_SQUARES
/* After the squares a RAW tells of three more numbers: half the sensors' supply now, when the calibration was saved, and as it counts. */
#define HM_RAWS (HM_SQUARES + (HM_SUPPLY_CHANNEL == HM_NO_CHANNEL ? 0 : 3))

/* Two calibrations, the newer one counts: each has a head, two numbers a square, and a CRC. Before them the two counts of starts. */
#define HM_CALIBRATION_AT 12
#define HM_CALIBRATION_BYTES (14 + 4 * HM_SQUARES)
#define HM_STORE_BYTES (HM_CALIBRATION_AT + 2 * HM_CALIBRATION_BYTES)

typedef struct {
    uint16_t raw[HM_SQUARES];       /* counts of the last scan, as they would be if the sensors' supply were the converter's */
    uint16_t zero[HM_SQUARES];      /* counts without a magnet */
    int16_t gain[HM_SQUARES];       /* counts that red's centred magnet adds */
    int16_t correction[HM_SQUARES]; /* what the neighbours' magnets add, in parts of a centred field (HM_FULL_FIELD) */
    uint16_t on_permille, off_permille;
    uint16_t supply, saved_supply; /* what the divider of the sensors' supply reads, and what counted when it was saved */
    uint16_t used;                 /* what it read when its reading was last taken for the supply */
    uint16_t ratio;                /* every count is multiplied by it: HM_NO_SHIFT if nothing moved */
    uint16_t before;               /* what the divider read some scans ago, */
    uint16_t total_before;         /* and half of what all squares gave together just before that */
    uint16_t total_last;           /* the same of the last scan */
    uint8_t scans;                 /* since the start, or since the divider last jumped */
    bool steady;                   /* `before` is a supply: readings near it count */
    uint16_t generation; /* of the calibration in the store */
    bool calibrated;
} hm_sensors;

#endif
