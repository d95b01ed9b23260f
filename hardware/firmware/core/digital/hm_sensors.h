/* Digital sensors behind a chain of shift registers: a magnet or none, with the sensors' own hysteresis. */
#ifndef HM_SENSORS_H
#define HM_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "hm_board.h"

#define HM_TESTED HM_CHANNELS
#define HM_RAWS HM_SQUARES
#define HM_STORE_BYTES 12 /* the two counts of starts: there is nothing to calibrate */

typedef struct {
    uint8_t inputs[HM_CHIPS]; /* as the registers gave them, input H in the highest bit */
} hm_sensors;

#endif
