#ifndef HM_PICO_H
#define HM_PICO_H

/* Sets the sensors' pins up. */
void hm_pico_sensors_begin(void);

#endif
