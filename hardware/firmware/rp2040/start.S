/* What runs before C. The RP2040's boot ROM copies the first 256 bytes of flash to RAM, checks their CRC (hardware/firmware/pack-uf2 writes it)
 * and jumps to them; they copy the rest to RAM and start it there. So no code ever runs from flash: every kind of flash chip will do, and
 * none is in the way when the store is erased. The RP2350's boot ROM makes flash readable by itself, looks for the words between the two
 * marks (5.9 of its data sheet: a program for its Arm cores), and starts at the vectors before them. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .boot2, "ax"
boot2:
#ifdef HM_RP2350
    .word stack_top, copy + 1
    .word 0xffffded3, 0x10210142, 0x000001ff, 0, 0xab123579
copy:
#else
    movs r0, #0x14 /* 2.8.3: the ROM's table of functions, and what looks one up */
    ldrh r4, [r0]
    movs r0, #0x18
    ldrh r5, [r0]
    ldr r1, =0x4346 /* "FC", _flash_flush_cache: nothing holds the flash chip's select line any more */
    mov r0, r4
    blx r5
    blx r0
    ldr r1, =0x5843 /* "CX", _flash_enter_cmd_xip: flash can be read like memory */
    mov r0, r4
    blx r5
    blx r0
#endif
    ldr r0, =image_in_flash
    ldr r1, =vectors
    ldr r2, =image_end
1:  ldmia r0!, {r3}
    stmia r1!, {r3}
    cmp r1, r2
    blo 1b
    ldr r0, =vectors
    ldr r1, =0xe000ed08 /* VTOR */
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r1, [r0, #4]
    bx r1
    .ltorg

    .section .vectors, "a"
    .global vectors
vectors:
    .word stack_top, hm_pico_begin
    .rept 13
    .word hang
    .endr
    .word hm_tick /* SysTick */
#ifdef HM_RP2350
    .rept 14
    .word hang
    .endr
    .word hm_usb_event
    .rept 37
#else
    .rept 5
    .word hang
    .endr
    .word hm_usb_event
    .rept 20
#endif
    .word hang
    .endr

    .text
    .thumb_func
hang: /* the watchdog ends it */
    b hang

    .thumb_func
    .global hm_pico_begin
hm_pico_begin:
    ldr r0, =zeroed
    ldr r1, =zeroed_end
    movs r2, #0
    b 2f
1:  stmia r0!, {r2}
2:  cmp r0, r1
    blo 1b
    bl main
    b hang
