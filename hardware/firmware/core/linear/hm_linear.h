/* The two files of the linear sensors among themselves. */
#ifndef HM_LINEAR_H
#define HM_LINEAR_H

#include "hm_sensing.h"

/* Takes the newest calibration of the store whose CRC is right and which belongs to this board; gives false if there is none. */
bool hm_calibration_load(hm_sensors *sensors);

#endif
