/* What the atmega328p calls the interrupts of its first serial port. */
#ifndef HM_VECTORS_H
#define HM_VECTORS_H

#define HM_RECEIVED_vect USART_RX_vect
#define HM_ROOM_vect USART_UDRE_vect

#endif
