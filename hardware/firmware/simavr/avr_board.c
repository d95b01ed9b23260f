/* A board around a simulated ATmega (libsimavr): sensors on its pins, its first serial port on our pipes.
 *
 *   avr-board HEX CHIP STORE mux SELECT_PORT SELECT_BIT FIRST_INPUT MULTIPLEXERS
 *   avr-board HEX CHIP STORE chain LATCH CLOCK DATA REGISTERS          (pins as PB2)
 *
 * STORE is a file with the EEPROM's bytes, or "-". Requests come on stdin, one letter and what follows, all integers little-endian:
 *   B flags8              starts the chip with these reset flags (MCUSR); the EEPROM stays
 *   V value16...          what every channel reads from now on: counts, or 1 for a magnet
 *   R until64 n16 bytes   hears n bytes and runs to that cycle since the start; answers n32 and the bytes it sent
 *   E                     answers n32 and the EEPROM
 *   S                     answers n32 and a line: frames, longest frame in cycles, least free RAM in bytes, how the chip stands
 * It ends when stdin does. simavr has GPL: this program is linked with it, nothing of it goes into the firmware. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>
#include <simavr/sim_io.h>

#define FREQUENCY 16000000
#define SUPPLY_MV 5000
#define MOST_CHANNELS 256
#define CYCLES_A_BYTE 1400 /* at 115200 baud: faster than that the chip's own receiver cannot take them */
#define MCUSR_AT 0x54
#define MARK_AT 0x3E /* GPIOR0, where the firmware says that a frame begins and ends */
#define INPUTS 16
#define PAINT 0xC5 /* what RAM holds until a variable is set to something there, or the stack reaches it */

static avr_t *avr;
static int is_chain, groups, first_input;
static uint16_t values[MOST_CHANNELS];
static uint8_t *sent;
static size_t sent_count, sent_room;
static uint8_t selected, select_bit;
static int latch_level = 1, clock_level;
static size_t shifted;
static char data_port;
static int data_bit;
static avr_irq_t *data_pin, *converter, *line_in;
static avr_cycle_count_t frame_began;
static unsigned long frames, longest_frame;

static void quiet(avr_t *one, const int level, const char *format, va_list arguments) {
    (void)one;
    if (level == LOG_ERROR)
        vfprintf(stderr, format, arguments);
}

static void no_sleep(avr_t *one, avr_cycle_count_t cycles) { /* time is what we say it is */
    (void)one, (void)cycles;
}

static void take_byte(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (sent_count == sent_room)
        sent = realloc(sent, sent_room = sent_room ? 2 * sent_room : 4096);
    sent[sent_count++] = (uint8_t)value;
}

static void take_selection(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    selected = value >> select_bit & 15;
}

static void begin_conversion(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    union { /* its bits, in a type that is longer than they are */
        uint32_t value;
        avr_adc_mux_t mux;
    } told = {value};
    avr_adc_mux_t mux = told.mux;
    int multiplexer = (int)mux.src - first_input;
    uint32_t counts = multiplexer >= 0 && multiplexer < groups ? values[multiplexer * INPUTS + selected] : 0;
    /* the voltage that this many counts stand for, rounded up, so that the converter gives them back */
    avr_raise_irq(converter + ADC_IRQ_ADC0 + mux.src, (counts * SUPPLY_MV + 1022) / 1023);
}

static void show_bit(void) {
    size_t chip = shifted / 8, input = 7 - shifted % 8;
    int magnet = (int)chip < groups && values[chip * 8 + input];
    /* at each write to a port simavr raises its pulled-up inputs anew: it has to know what pulls this one */
    avr_ioport_external_t pulled = {
        .name = (unsigned long)data_port,
        .mask = 1UL << data_bit,
        .value = (unsigned long)!magnet << data_bit,
    };
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(data_port), &pulled);
    avr_raise_irq(data_pin, !magnet);
}

static void take_latch(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    latch_level = value & 1;
    if (!latch_level)
        shifted = 0;
    show_bit();
}

static void take_clock(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (value && !clock_level && latch_level)
        shifted++;
    clock_level = value & 1;
    show_bit();
}

static void take_mark(avr_t *one, avr_io_addr_t at, uint8_t value, void *param) {
    (void)param;
    one->data[at] = value;
    if (value) {
        frame_began = one->cycle;
    } else {
        unsigned long took = (unsigned long)(one->cycle - frame_began);
        frames++;
        longest_frame = took > longest_frame ? took : longest_frame;
    }
}

static avr_irq_t *pin(const char *name) {
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(name[1]), IOPORT_IRQ_PIN0 + name[2] - '0');
}

static void load_store(const char *path) {
    uint8_t bytes[8192];
    memset(bytes, 0xFF, sizeof bytes);
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    if (file) {
        size_t count = fread(bytes, 1, sizeof bytes, file);
        (void)count;
        fclose(file);
    }
    avr_eeprom_desc_t store = {bytes, 0, (uint32_t)avr->e2end + 1};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &store);
}

static void wire_up(char **words) {
    groups = atoi(words[4]);
    is_chain = strcmp(words[0], "chain") == 0;
    if (is_chain) {
        avr_irq_register_notify(pin(words[1]), take_latch, NULL);
        avr_irq_register_notify(pin(words[2]), take_clock, NULL);
        data_pin = pin(words[3]);
        data_port = words[3][1];
        data_bit = words[3][2] - '0';
    } else {
        select_bit = (uint8_t)atoi(words[2]);
        first_input = atoi(words[3]);
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(words[1][0]), IOPORT_IRQ_PIN_ALL),
                                take_selection, NULL);
        converter = avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, 0);
        avr_irq_register_notify(converter + ADC_IRQ_OUT_TRIGGER, begin_conversion, NULL);
    }
    uint32_t flags = 0; /* no echo on our stdout, no waiting while the chip polls */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    line_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), take_byte, NULL);
    avr_register_io_write(avr, MARK_AT, take_mark, NULL);
}

static int get(void *to, size_t count) { return fread(to, 1, count, stdin) == count; }

static void answer(const void *bytes, uint32_t count) {
    fwrite(&count, sizeof count, 1, stdout);
    fwrite(bytes, 1, count, stdout);
    fflush(stdout);
}

static void start_chip(uint8_t reset_flags) {
    avr_reset(avr);
    memset(avr->data + avr->ioend + 1, PAINT, (size_t)avr->ramend - avr->ioend);
    avr->data[MCUSR_AT] = reset_flags;
    avr->cycle = 0;
}

static int run(void) {
    uint64_t until;
    uint16_t count, at = 0;
    uint8_t heard[65536];
    if (!get(&until, sizeof until) || !get(&count, sizeof count) || !get(heard, count))
        return 0;
    avr_cycle_count_t next_byte = avr->cycle;
    sent_count = 0;
    while (avr->cycle < until && avr->state != cpu_Done && avr->state != cpu_Crashed) {
        if (at < count && avr->cycle >= next_byte) {
            avr_raise_irq(line_in, heard[at++]);
            next_byte = avr->cycle + CYCLES_A_BYTE;
        }
        avr_run(avr);
    }
    answer(sent, (uint32_t)sent_count);
    return 1;
}

static void say_store(void) {
    avr_eeprom_desc_t store = {NULL, 0, (uint32_t)avr->e2end + 1};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &store);
    answer(store.ee, store.size);
}

static void say_state(void) {
    char line[100];
    unsigned untouched = 0;
    for (unsigned at = avr->ioend + 1u; at <= avr->ramend; at++)
        untouched += avr->data[at] == PAINT;
    int count = snprintf(line, sizeof line, "%lu %lu %u %s", frames, longest_frame, untouched,
                         avr->state == cpu_Crashed || avr->state == cpu_Done ? "stopped" : "running");
    answer(line, (uint32_t)count);
}

int main(int count, char **words) {
    if (count != 9)
        return 2;
    avr_global_logger_set(quiet);
    avr = avr_make_mcu_by_name(words[2]);
    uint32_t size = 0, begins = 0;
    uint8_t *image = read_ihex_file(words[1], &size, &begins);
    if (!avr || !image)
        return 3;
    avr_init(avr);
    if (begins || size > avr->flashend + 1)
        return 3;
    avr_loadcode(avr, image, size, 0);
    avr->codeend = size;
    free(image);
    avr->frequency = FREQUENCY;
    avr->vcc = avr->avcc = avr->aref = SUPPLY_MV;
    avr->sleep = no_sleep;
    avr->log = 0;
    load_store(words[3]);
    wire_up(words + 4);
    for (int request; (request = getchar()) != EOF;) {
        uint8_t flags;
        if (request == 'B' && get(&flags, 1))
            start_chip(flags);
        else if (request == 'V' && get(values, sizeof *values * (size_t)groups * (is_chain ? 8 : INPUTS)))
            continue;
        else if (request == 'R' && run())
            continue;
        else if (request == 'E')
            say_store();
        else if (request == 'S')
            say_state();
        else if (request != 'V' && request != 'R' && request != 'B')
            return 2;
    }
    return 0;
}
