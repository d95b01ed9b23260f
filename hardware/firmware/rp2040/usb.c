/* A serial port on USB: CDC ACM on the RP2040's own device controller (4.1), one buffer an endpoint. Every event is an interrupt, so the
 * host is answered while squares are scanned. Nothing the host sends is lost: with a full queue its next packet is not taken yet. */
#include <string.h>

#include "hm_pico.h"
#include "hm_registers.h"

#define MEMORY 0x50100000u
#define SETUP_AT MEMORY
#define CONTROL(endpoint, out) (MEMORY + 8u * (endpoint) + ((out) ? 4u : 0u))
#define BUFFER(endpoint, out) (MEMORY + 0x80u + 8u * (endpoint) + ((out) ? 4u : 0u))
#define AVAILABLE (1u << 10)
#define STALL (1u << 11)
#define DATA1 (1u << 13)
#define FULL (1u << 15)
#define LENGTH 0x3ffu

#define REGISTERS 0x50110000u
#define ADDRESS REGISTERS
#define MAIN_CONTROL (REGISTERS + 0x40)
#define SIE_CONTROL (REGISTERS + 0x4c)
#define SIE_STATUS (REGISTERS + 0x50)
#define DONE (REGISTERS + 0x58) /* a bit for each buffer: IN of endpoint 0, OUT of endpoint 0, IN of 1 ... */
#define STALL_ARM (REGISTERS + 0x68)
#define MUXING (REGISTERS + 0x74)
#define POWER (REGISTERS + 0x78)
#define INTERRUPTS (REGISTERS + 0x90)
#define STATUS_RESET (1u << 19)
#define STATUS_SETUP (1u << 17)

#define PACKET 64u
#define DATA 2u /* the endpoint of both directions */
#define ZERO_AT 0x100u
#define NOTICE_AT 0x180u
#define OUT_AT 0x1c0u
#define IN_AT 0x200u
#define QUEUE 256u

static const uint8_t device[] = {
    18, 1, 0x00, 0x02, 2, 0, 0, PACKET, /* USB 2.0, a communications device */
    0x8a, 0x2e, 0x0a, 0x00,             /* Raspberry Pi's number for any serial port of an RP2040 */
    0x00, 0x01, 1, 2, 3, 1,
};
static const uint8_t configuration[] = {
    9, 2, 67, 0, 2, 1, 0, 0x80, 125,         /* two interfaces; 250 mA: the sensors have a supply of their own */
    9, 4, 0, 0, 1, 2, 2, 0, 0,               /* control: CDC, ACM */
    5, 0x24, 0, 0x20, 0x01,                  /* CDC 1.2 */
    5, 0x24, 1, 0, 1,                        /* no calls */
    4, 0x24, 2, 2,                           /* line coding and line state */
    5, 0x24, 6, 0, 1,                        /* interface 0 controls 1 */
    7, 5, 0x81, 3, 8, 0, 255,                /* notices: never one */
    9, 4, 1, 0, 2, 10, 0, 0, 0,              /* data */
    7, 5, DATA, 2, PACKET, 0, 0,             /* from the host */
    7, 5, 0x80 | DATA, 2, PACKET, 0, 0,      /* to the host */
};
typedef char configuration_says_its_length[sizeof configuration == 67 ? 1 : -1];

static const char *const names[] = {"Hallmarshal", "Board"};
static char serial[2 * HM_ID_BYTES + 1];

static struct {
    uint8_t address; /* to be taken once the host has had its answer */
    bool open;       /* a program of the host's has the port open */
    bool sending;    /* a packet waits for the host to fetch it */
    bool ends_full;  /* the last packet was full: the host waits for a shorter one */
    bool held;       /* a packet of the host's waits for room in the queue */
    bool has_coding; /* the next packet to endpoint 0 is a line coding */
    bool answers;    /* what endpoint 0 sends is an answer, which the host ends with an empty packet, and no acknowledgement */
    bool wants_boot_loader;
    uint32_t in_toggle, out_toggle, zero_toggle;
    const uint8_t *rest; /* of an answer on endpoint 0 */
    uint32_t rest_bytes;
} line;
static uint8_t coding[7] = {0x00, 0xc2, 0x01, 0x00, 0, 0, 8}; /* 115200 8N1: told, and of no effect */
static uint8_t answer[PACKET];
static uint8_t out[HM_USB_OUT_BYTES], in[QUEUE];
static volatile uint32_t out_first, out_next, in_first, in_next; /* they count on and wrap with the type */

static void arm(uint32_t buffer, uint32_t bits) {
    /* 4.1.2.5.1: the controller has a clock of its own and may look in between, so what it acts on comes last */
    HM_REGISTER(buffer) = bits;
    for (uint8_t i = 0; i < 12; i++)
        __asm__ volatile("nop");
    HM_REGISTER(buffer) = bits | AVAILABLE;
}

static void put_packet(uint32_t at, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        ((volatile uint8_t *)(MEMORY + at))[i] = bytes[i];
}

static void zero_send(void) {
    uint32_t count = line.rest_bytes < PACKET ? line.rest_bytes : PACKET;
    put_packet(ZERO_AT, line.rest, count);
    line.rest += count;
    line.rest_bytes -= count;
    arm(BUFFER(0, false), FULL | line.zero_toggle | count);
    line.zero_toggle ^= DATA1;
}

static void reply(const uint8_t *bytes, uint32_t count, uint32_t wanted) {
    line.rest = bytes;
    line.rest_bytes = count < wanted ? count : wanted;
    line.answers = true;
    zero_send();
}

static void acknowledge(void) {
    line.rest_bytes = 0;
    line.answers = false;
    zero_send();
}

static void refuse(void) {
    HM_REGISTER(STALL_ARM) = 3;
    HM_REGISTER(BUFFER(0, false)) = STALL;
    HM_REGISTER(BUFFER(0, true)) = STALL;
}

static void send_next(void) {
    uint32_t count = 0;
    volatile uint8_t *packet = (volatile uint8_t *)(MEMORY + IN_AT);
    if (line.sending)
        return;
    if (!line.open)
        out_first = out_next; /* nobody listens */
    for (; count < PACKET && out_first != out_next; count++)
        packet[count] = out[out_first++ % HM_USB_OUT_BYTES];
    if (!count && !line.ends_full)
        return;
    line.ends_full = count == PACKET;
    line.sending = true;
    arm(BUFFER(DATA, false), FULL | line.in_toggle | count);
    line.in_toggle ^= DATA1;
}

static void take_next(void) {
    arm(BUFFER(DATA, true), line.out_toggle | PACKET);
    line.out_toggle ^= DATA1;
}

static void take_packet(void) {
    uint32_t count = HM_REGISTER(BUFFER(DATA, true)) & LENGTH;
    line.held = QUEUE - (in_next - in_first) < count;
    if (line.held)
        return;
    for (uint32_t i = 0; i < count; i++)
        in[in_next++ % QUEUE] = ((const volatile uint8_t *)(MEMORY + OUT_AT))[i];
    take_next();
}

static void configure(void) {
    line.in_toggle = line.out_toggle = 0;
    line.sending = line.ends_full = line.held = false;
    HM_REGISTER(CONTROL(1, false)) = 1u << 31 | 1u << 29 | 3u << 26 | NOTICE_AT;
    HM_REGISTER(CONTROL(DATA, true)) = 1u << 31 | 1u << 29 | 2u << 26 | OUT_AT;
    HM_REGISTER(CONTROL(DATA, false)) = 1u << 31 | 1u << 29 | 2u << 26 | IN_AT;
    take_next();
}

/* What a descriptor is asked for; gives its length, 0 if there is none. A text is in 16-bit letters behind two bytes. */
static uint32_t descriptor(uint8_t kind, uint8_t number, const uint8_t **bytes) {
    *bytes = answer;
    if (kind == 1) {
        *bytes = device;
        return sizeof device;
    }
    if (kind == 2) {
        *bytes = configuration;
        return sizeof configuration;
    }
    if (kind != 3 || number > 3)
        return 0;
    const char *text = number == 0 ? "\t" : number == 3 ? serial : names[number - 1];
    uint32_t used = 2;
    for (; *text; text++) {
        answer[used++] = (uint8_t)*text;
        answer[used++] = 0;
    }
    if (number == 0)
        answer[3] = 4; /* 0x0409: English */
    answer[0] = (uint8_t)used;
    answer[1] = 3;
    return used;
}

static void restart_endpoint(uint8_t endpoint) {
    if (endpoint == (0x80 | DATA)) {
        line.in_toggle = 0;
        line.sending = false;
        send_next();
    } else if (endpoint == DATA) {
        line.out_toggle = 0;
        line.held = false;
        take_next();
    }
}

static void set_line(uint16_t value) {
    line.open = value & 1;
    send_next();
}

static void take_request(void) {
    uint32_t first = HM_REGISTER(SETUP_AT), second = HM_REGISTER(SETUP_AT + 4);
    uint16_t value = (uint16_t)(first >> 16), index = (uint16_t)second, wanted = (uint16_t)(second >> 16);
    const uint8_t *bytes = answer;
    uint32_t count;
    line.zero_toggle = DATA1;
    line.has_coding = false;
    switch (first & 0xffff) { /* whom it is for and which way, then what */
    case 0x0680: /* get a descriptor */
        count = descriptor((uint8_t)(value >> 8), (uint8_t)value, &bytes);
        if (count)
            reply(bytes, count, wanted);
        else
            refuse();
        return;
    case 0x0080: /* status of device, interface or endpoint */
    case 0x0081:
    case 0x0082:
        answer[0] = answer[1] = 0;
        reply(answer, 2, wanted);
        return;
    case 0x0880: /* configuration, interface: there is one */
    case 0x0a81:
        answer[0] = (first & 0xffff) == 0x0880;
        reply(answer, 1, wanted);
        return;
    case 0x21a1: /* line coding */
        reply(coding, sizeof coding, wanted);
        return;
    case 0x2021:
        line.has_coding = true;
        arm(BUFFER(0, true), DATA1 | PACKET);
        return;
    case 0x0500:
        line.address = (uint8_t)value;
        break;
    case 0x0900:
        configure();
        break;
    case 0x2221:
        set_line(value);
        break;
    case 0x0102: /* an endpoint begins again */
        restart_endpoint((uint8_t)index);
        break;
    case 0x0302: /* stop an endpoint, set an interface, send a break, features of a device: done, and of no effect */
    case 0x0b01:
    case 0x2321:
    case 0x0100:
    case 0x0300:
        break;
    default:
        refuse();
        return;
    }
    acknowledge();
}

static void take_zero(void) {
    if (!line.has_coding)
        return; /* the end of an answer */
    line.has_coding = false;
    for (uint8_t i = 0; i < sizeof coding; i++)
        coding[i] = ((const volatile uint8_t *)(MEMORY + ZERO_AT))[i];
    line.wants_boot_loader = coding[0] == (1200 & 0xff) && coding[1] == 1200 >> 8 && !coding[2] && !coding[3];
    acknowledge();
}

static void zero_sent(void) {
    if (line.address) {
        HM_REGISTER(ADDRESS) = line.address;
        line.address = 0;
    } else if (line.rest_bytes) {
        zero_send();
    } else if (line.answers) {
        line.answers = false;
        arm(BUFFER(0, true), DATA1 | PACKET);
    }
}

void hm_usb_event(void);
void hm_usb_event(void) {
    uint32_t status = HM_REGISTER(SIE_STATUS), done = HM_REGISTER(DONE);
    if (status & STATUS_RESET) {
        memset(&line, 0, sizeof line);
        for (uint32_t buffer = BUFFER(0, false); buffer <= BUFFER(DATA, true); buffer += 4)
            HM_REGISTER(buffer) = 0; /* what waited there was for the host as it was */
        HM_REGISTER(ADDRESS) = 0;
        HM_REGISTER(DONE) = done;
        HM_REGISTER(SIE_STATUS) = STATUS_RESET;
        return;
    }
    HM_REGISTER(DONE) = done;
    if (done & 1u << 0)
        zero_sent();
    if (done & 1u << 1)
        take_zero();
    if (done & 1u << 2 * DATA) {
        line.sending = false;
        send_next();
    }
    if (done & 2u << 2 * DATA)
        take_packet();
    if (status & STATUS_SETUP) {
        HM_REGISTER(SIE_STATUS) = STATUS_SETUP;
        take_request();
    }
}

void hm_usb_begin(const uint8_t *id) {
    for (uint8_t i = 0; i < sizeof serial - 1; i++)
        serial[i] = "0123456789ABCDEF"[id[i / 2] >> (i % 2 ? 0 : 4) & 15];
    hm_out_of_reset(HM_RESET_USB);
    memset((void *)MEMORY, 0, 4096);
    HM_REGISTER(MUXING) = 1u << 0 | 1u << 3;     /* to the pins */
    HM_REGISTER(POWER) = 1u << 2 | 1u << 3;      /* as if the cable's power were seen: the Pico has no pin for it */
    HM_REGISTER(0xe000e100u) = HM_USB_INTERRUPT; /* NVIC */
    HM_REGISTER(INTERRUPTS) = 1u << 4 | 1u << 12 | 1u << 16; /* a buffer is done, reset, a request */
    HM_REGISTER(MAIN_CONTROL) = 1;
    HM_REGISTER(SIE_CONTROL) = 1u << 29 | 1u << 16; /* an interrupt for each packet of endpoint 0; here is a device */
}

bool hm_usb_receive(uint8_t *byte) {
    if (in_first == in_next)
        return false;
    *byte = in[in_first++ % QUEUE];
    if (line.held) {
        hm_interrupts_off();
        if (line.held)
            take_packet();
        hm_interrupts_on();
    }
    return true;
}

uint32_t hm_usb_waiting(void) { return out_next - out_first; }

void hm_usb_send(const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        out[(out_next + i) % HM_USB_OUT_BYTES] = bytes[i];
    hm_interrupts_off();
    out_next += count;
    send_next();
    hm_interrupts_on();
}

bool hm_usb_wants_boot_loader(void) { return line.wants_boot_loader; }
