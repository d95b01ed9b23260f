#ifndef HM_AVR_H
#define HM_AVR_H

/* Sets the sensors' pins up. */
void hm_avr_sensors_begin(void);

#endif
