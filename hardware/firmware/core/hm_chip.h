/* What a chip gives the core. Every chip folder has one definition of each; which of the sensors' calls are needed depends on the
 * board (multiplexers or shift registers). */
#ifndef HM_CHIP_H
#define HM_CHIP_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds since the start, modulo 2^32. */
uint32_t hm_chip_now_ms(void);

/* Gives false if nothing has come, else true and the next byte of the host's. */
bool hm_chip_receive(uint8_t *byte);

/* Takes a whole frame or nothing. An answer (`wait`) finds room where a KEYFRAME does not, or may wait for it, but not for ever. */
bool hm_chip_send(const uint8_t *frame, uint8_t length, bool wait);

/* Lets every multiplexer pass this input on. What was begun before is not disturbed. */
void hm_chip_select(uint8_t input);

/* Begins to convert the output of a multiplexer, on the input that was selected last. */
void hm_chip_begin(uint8_t multiplexer);

/* Gives what was begun: 0 to HM_HIGHEST_COUNT. */
uint16_t hm_chip_counts(void);

/* Lets the shift registers take their inputs. */
void hm_chip_latch(void);

/* Gives the next register's inputs, H in the highest bit: the one next to the controller comes first. */
uint8_t hm_chip_shift(void);

/* Bytes that outlive a power cut, HM_STORE_BYTES of them; an erased store holds 255 everywhere. */
uint8_t hm_chip_load(uint16_t at);
void hm_chip_store(uint16_t at, uint8_t byte);
/* Ends a run of hm_chip_store: a chip that can only write whole pages does it now. */
void hm_chip_commit(void);

/* A scan begins, or the last one has been judged: for whoever measures how long that takes. */
void hm_chip_mark(bool begins);

#endif
