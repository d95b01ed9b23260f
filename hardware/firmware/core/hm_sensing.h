/* What the core asks of sensors, linear or digital: the folder of the board's kind has hm_sensors.h with the state, and these. */
#ifndef HM_SENSING_H
#define HM_SENSING_H

#include <stdbool.h>
#include <stdint.h>

#include "hm_sensors.h"

/* What became of a command, as its ACK says it: HM_ACK_RESULT_... and a number that belongs to it. */
typedef struct {
    uint8_t result;
    uint16_t detail;
} hm_outcome;

/* Takes what the store holds, or defaults. */
void hm_sensors_start(hm_sensors *sensors);

/* Reads and judges every square; gives whether a reading changed. */
bool hm_sensors_scan(hm_sensors *sensors, uint8_t *readings);

/* Judges every square anew from the last scan's counts; gives whether a reading changed. */
bool hm_sensors_judge(hm_sensors *sensors, uint8_t *readings);

bool hm_sensors_calibrated(const hm_sensors *sensors);
/* Gives what a RAW tells of a square; below HM_RAWS there may be numbers of no square (see hm_sensors.h). */
uint16_t hm_sensors_raw(const hm_sensors *sensors, const uint8_t *readings, uint8_t square);

/* Gives whether what the self-test counts under this number (below HM_TESTED) looks dead or stuck, and what it reads. */
bool hm_sensors_broken(const hm_sensors *sensors, uint8_t number, uint16_t *value);
extern const char hm_tested_name[]; /* in flash: what those numbers count */

/* Settings. A refused one changes nothing. */
hm_outcome hm_sensors_set_thresholds(hm_sensors *sensors, uint16_t on_permille, uint16_t off_permille);
hm_outcome hm_sensors_set_zero(hm_sensors *sensors, uint8_t square, uint16_t counts);
hm_outcome hm_sensors_set_gain(hm_sensors *sensors, uint8_t square, uint8_t pole, int16_t counts);

/* Keeps thresholds, zeros and gains over a power cut. */
void hm_sensors_save(hm_sensors *sensors);

#endif
