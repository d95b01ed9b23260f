/* What the atmega2560 calls the interrupts of its first serial port. */
#ifndef HM_VECTORS_H
#define HM_VECTORS_H

#define HM_RECEIVED_vect USART0_RX_vect
#define HM_ROOM_vect USART0_UDRE_vect

#endif
