/* Flash and the boot ROM. All code runs from RAM (start.S), so nothing is in the way while flash answers no reads. */
#include "hm_pico.h"
#include "hm_registers.h"

#define FLASH_BYTES (2048u * 1024u)
#define FLASH_READ_AT 0x10000000u
#define SELECT_CONTROL 0x4001800cu /* the RP2040's: what drives the flash chip's select line */
#define SSI_STATUS 0x18000028u
#define SSI_DATA 0x18000060u
#define CODE(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

typedef void (*rom_function)(void);

static rom_function rom(uint32_t code) { /* 2.8.3 */
    /* through a volatile, or the compiler says that nothing can lie so near to the null pointer */
#ifdef HM_RP2350
    typedef rom_function (*rom_lookup)(uint32_t code, uint32_t kind);
    const uint16_t *volatile lookup_at = (const uint16_t *)0x16;
    return ((rom_lookup)(uintptr_t)*lookup_at)(code, 4); /* a function for the secure side of an Arm core */
#else
    typedef rom_function (*rom_lookup)(const uint16_t *table, uint32_t code);
    const uint16_t *volatile table_at = (const uint16_t *)0x14, *volatile lookup_at = (const uint16_t *)0x18;
    return ((rom_lookup)(uintptr_t)*lookup_at)((const uint16_t *)(uintptr_t)*table_at, code);
#endif
}

static void begin(void) {
    rom(CODE('I', 'F'))(); /* connect_internal_flash */
    rom(CODE('E', 'X'))(); /* flash_exit_xip: it takes commands, and no reads */
}

static void end(void) {
    rom(CODE('F', 'C'))(); /* flash_flush_cache */
    rom(CODE('C', 'X'))(); /* flash_enter_cmd_xip: it can be read again */
}

static uint32_t offset_of(uint8_t sector) { return FLASH_BYTES - (sector + 1u) * HM_SECTOR; }

const uint8_t *hm_flash_sector(uint8_t sector) { return (const uint8_t *)(FLASH_READ_AT + offset_of(sector)); }

void hm_flash_write(uint8_t sector, const uint8_t *bytes) {
    uint32_t at = offset_of(sector);
    begin();
    ((void (*)(uint32_t, uint32_t, uint32_t, uint8_t))rom(CODE('R', 'E')))(at, HM_SECTOR, HM_SECTOR, 0x20); /* sector erase */
    ((void (*)(uint32_t, const uint8_t *, uint32_t))rom(CODE('R', 'P')))(at, bytes, HM_SECTOR);
    end();
}

#ifdef HM_RP2350
void hm_flash_id(uint8_t *id) { /* the chip has a number of its own */
    uint32_t words[4] = {0};
    ((int (*)(uint32_t *, uint32_t, uint32_t))rom(CODE('G', 'S')))(words, 4, 1);
    for (uint8_t i = 0; i < HM_ID_BYTES; i++)
        id[i] = (uint8_t)(words[3 - i / 4] >> (24 - 8 * (i % 4)));
}

void hm_enter_boot_loader(void) {
    hm_interrupts_off();
    ((int (*)(uint32_t, uint32_t, uint32_t, uint32_t))rom(CODE('R', 'B')))(0x102, 10, 0, 0); /* to the drive, and never back */
}
#else
void hm_flash_id(uint8_t *id) {
    begin();
    HM_REGISTER(SELECT_CONTROL) = 2u << 8; /* low: selected */
    for (uint8_t i = 0; i < 5 + HM_ID_BYTES; i++)
        HM_REGISTER(SSI_DATA) = i ? 0 : 0x4b; /* read the number, after four bytes that mean nothing: its queue holds them all */
    for (uint8_t i = 0; i < 5 + HM_ID_BYTES; i++) {
        while (!(HM_REGISTER(SSI_STATUS) & 1u << 3)) {
        }
        uint8_t byte = (uint8_t)HM_REGISTER(SSI_DATA);
        if (i >= 5)
            id[i - 5] = byte;
    }
    HM_REGISTER(SELECT_CONTROL) = 3u << 8; /* high; `end` gives the line back */
    end();
}

void hm_enter_boot_loader(void) {
    hm_interrupts_off();
    ((void (*)(uint32_t, uint32_t))rom(CODE('U', 'B')))(0, 0);
}
#endif
