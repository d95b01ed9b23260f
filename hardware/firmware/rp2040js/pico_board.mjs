/* A board around an emulated RP2040 (rp2040js, from npm): sensors on its pins, a host on its USB, a boot ROM that knows what the firmware
 * asks of the real one. It runs the file that a maker copies onto the drive RPI-RP2.
 *
 *   pico_board.mjs UF2 STORE mux SELECT_PIN FIRST_INPUT INPUTS ENABLE_PINS MULTIPLEXERS      (pins as 6, several as 6,7)
 *   pico_board.mjs UF2 STORE chain LATCH CLOCK DATA REGISTERS
 *
 * STORE is a file with the bytes that the firmware kept, or "-". Requests and answers are those of simavr/avr_board.c: B V R E S, times in
 * cycles of 48 MHz; and two more:
 *   H flag8               whether the host fetches what the board sends (at first it does)
 *   U                     answers n32 and what the device said of itself on USB, as JSON
 *   C baud32              the host sets this speed
 *   K bytes16             the power fails after so many bytes more were written to flash; 65535: in the middle of the next erasing
 *   X                     the program hangs from now on
 * Not emulated: what flash and its erasing cost in time, and what a bus does wrong. Speed is that of the emulator's cycles. */
import { readFileSync, readSync, writeSync } from "node:fs";

const FLASH_AT = 0x10000000, FLASH_BYTES = 2 * 1024 * 1024, SECTOR = 4096, BOOT_BYTES = 256;
const BOOT_AT = 0x20041f00; /* where the boot ROM puts the first 256 bytes of flash */
const CYCLES_PER_MS = 48_000, NANOS_A_CYCLE = 1e6 / CYCLES_PER_MS;
const INPUTS = 16, PAINT = 0xc5, RAM_FOR_ALL = 256 * 1024;
const POWER_ON = 1, EXTERNAL = 2, BROWN_OUT = 4, WATCHDOG = 8;
const GUARDED = 0x48616c6c; /* rp2040/main.c */
const DATA = 2, HIGH = 1;

const [image, store, wiring, ...words] = process.argv.slice(2);
const pins = words.map((word) => word.split(",").map(Number));
const isChain = wiring === "chain";
const chips = pins[pins.length - 1][0];
const values = new Uint16Array(chips * (isChain ? 8 : INPUTS));

const fail = (text) => {
    process.stderr.write(`pico-board: ${text}\n`);
    process.exit(3);
};
const { RP2040, Simulator } = await import("rp2040js").catch(() => fail("rp2040js is missing: npm ci, in the project's folder"));

/* ---------------------------------------------------------------- flash, as the boot loader writes it */

const flash = new Uint8Array(FLASH_BYTES).fill(0xff);

const crc = (bytes) => {
    let value = 0xffffffff;
    for (const byte of bytes) {
        value ^= byte << 24;
        for (let bit = 0; bit < 8; bit++) value = value << 1 ^ (value < 0 ? 0x04c11db7 : 0);
    }
    return value >>> 0;
};

const loadUf2 = (file) => {
    for (let at = 0; at < file.length; at += 512) {
        const word = (number) => file.readUInt32LE(at + 4 * number);
        if (word(0) !== 0x0a324655 || word(1) !== 0x9e5d5157 || word(7) !== 0xe48bff56 || file.readUInt32LE(at + 508) !== 0x0ab16f30)
            fail(`block ${at / 512} is no block for an RP2040`);
        flash.set(file.subarray(at + 32, at + 32 + word(4)), word(3) - FLASH_AT);
    }
    const view = new DataView(flash.buffer);
    if (crc(flash.subarray(0, BOOT_BYTES - 4)) !== view.getUint32(BOOT_BYTES - 4, true)) fail("the boot ROM would refuse this image");
};

const mark = (sector) => new DataView(flash.buffer, FLASH_BYTES - sector * SECTOR - 8, 8);
const newestSector = () => {
    let newest = 0, highest = 0;
    for (const sector of [0, 1]) {
        const count = mark(sector).getUint32(0, true);
        if (mark(sector).getUint32(4, true) === ~count >>> 0 && count > highest) [newest, highest] = [sector, count];
    }
    return newest;
};

/* ---------------------------------------------------------------- the chip */

const IN_ERASING = 65535;
let simulator, chip, state, frames, longestFrame, frameBegan, sent, hostBytes, unread, hostReads = true, lasts = -1;
let born; /* nanoseconds that the caller has counted when this chip's clock began */

const rom = { /* 2.8.3 of the datasheet: what the functions do to flash; their names are two letters, low byte first */
    IF: () => {},
    EX: () => forbidReads(true),
    RE: (at, count) => {
        if (at % SECTOR || count % SECTOR || at + count > FLASH_BYTES) fail("a sector is erased that is none");
        if (lasts === IN_ERASING) state = "off";
        flash.fill(0xff, at, at + count / (state === "off" ? 2 : 1));
    },
    RP: (at, from, count) => {
        if (at % 256 || count % 256 || at + count > FLASH_BYTES) fail("a page is written that is none");
        for (let i = 0; i < count; i++) {
            if (lasts-- === 0) state = "off";
            if (state === "off") return;
            flash[at + i] &= chip.readUint8(from + i); /* writing only clears bits */
        }
    },
    FC: () => {},
    CX: () => {
        chip.flash.set(flash);
        forbidReads(false);
    },
    UB: () => { state = "boot-loader"; },
};
const romNames = Object.keys(rom), LOOKUP_AT = 0x200, FUNCTIONS_AT = 0x300;

const forbidReads = (yes) => {
    for (const name of ["readUint8", "readUint16", "readUint32"])
        if (yes)
            chip[name] = (at) => {
                if (at >= FLASH_AT && at < FLASH_AT + 0x4000000) fail("flash is read while it takes commands");
                return RP2040.prototype[name].call(chip, at);
            };
        else delete chip[name];
};

const callRom = () => {
    const { core } = chip, at = core.PC, [a, b, c] = core.registers;
    if (at === LOOKUP_AT) {
        const which = romNames.indexOf(String.fromCharCode(b & 255, b >> 8));
        if (which < 0) fail(`the boot ROM has no function ${b.toString(16)} here`);
        core.registers[0] = (FUNCTIONS_AT + 2 * which) | 1;
    } else {
        const name = romNames[(at - FUNCTIONS_AT) / 2];
        if (!name) fail(`the program went astray, to ${at.toString(16)}`);
        rom[name](a, b, c);
    }
    core.PC = core.LR & ~1;
};

const feel = () => {
    const pin = (number) => chip.gpio[number].value === HIGH;
    if (!isChain) {
        const [[select], [first], [inputs], enables] = pins;
        chip.adc.onADCRead = (input) => {
            const on = enables.filter((enable) => !pin(enable));
            if (on.length > 1) fail("two multiplexers share an input at one time");
            const group = enables.indexOf(on[0]) * inputs + input - first;
            const selected = [0, 1, 2, 3].reduce((sum, bit) => sum | pin(select + bit) << bit, 0);
            chip.adc.channelValues[input] = (on.length && values[group * INPUTS + selected]) << 2;
            chip.adc.currentChannel = input;
            chip.adc.sampleAlarm.schedule(2000);
        };
        return;
    }
    const [[latch], [clock], [data]] = pins;
    let shifted = 0;
    const show = () => {
        const magnet = shifted < values.length && values[(shifted & ~7) + 7 - shifted % 8];
        chip.gpio[data].setInputValue(!magnet);
    };
    chip.gpio[latch].addListener((now) => {
        if (now !== HIGH) shifted = 0;
        show();
    });
    chip.gpio[clock].addListener((now, before) => {
        if (now === HIGH && before !== HIGH && pin(latch)) shifted++;
        show();
    });
    show();
};

const start = (flags, at = 0) => { /* a cut that was asked for befalls the start that comes next */
    const again = flags & WATCHDOG;
    born = at;
    simulator = new Simulator();
    chip = simulator.rp2040;
    chip.logger = { debug() {}, info() {}, warn() {}, error: (name, text) => fail(`${name}: ${text}`) };
    chip.flash.set(flash);
    chip.sram.fill(PAINT);
    const bits = (flags & (POWER_ON | BROWN_OUT) ? 1 << 8 : 0) | (flags & EXTERNAL ? 1 << 16 : 0);
    chip.peripherals[0x40064] = { readUint32: () => bits, writeUint32Atomic() {} };
    /* registers of the flash chip's port: it has no number of its own here */
    chip.peripherals[0x40018] = { readUint32: () => 0, writeUint32Atomic() {} };
    const watchdog = chip.peripherals[0x40058], write = watchdog.writeUint32.bind(watchdog);
    watchdog.onWatchdogTrigger = () => {
        state = "watchdog";
        watchdog.timer.enable = false; /* or it would go off for ever at this moment */
    };
    watchdog.writeUint32 = (offset, value) => {
        write(offset, value);
        if (offset !== 0x10) return;
        if (value) frameBegan = simulator.clock.nanos;
        else {
            frames++;
            longestFrame = Math.max(longestFrame, simulator.clock.nanos - frameBegan);
        }
    };
    if (again) {
        watchdog.reason = 1;
        watchdog.scratchData[0] = GUARDED;
    }
    chip.bootrom[0x14 / 4] = 0x100;
    chip.bootrom[0x18 / 4] = LOOKUP_AT | 1;
    chip.sram.set(flash.subarray(0, BOOT_BYTES), BOOT_AT - 0x20000000);
    chip.core.PC = BOOT_AT;
    chip.core.SP = BOOT_AT;
    [state, frames, longestFrame, sent, hostBytes, unread, lasts] = ["running", 0, 0, [], [], [], lasts < 0 ? -1 : lasts];
    feel();
    plugIn();
};

/* ---------------------------------------------------------------- the host: it enumerates as Linux does, then opens the port */

let said = {}, waitsForBytes, opened, speed;

const plugIn = () => {
    const usb = chip.usbCtrl, indicate = usb.indicateBufferReady.bind(usb);
    let requests, current, answer, resets = 0;
    [said, waitsForBytes, opened] = [{}, null, false];
    const setup = (kind, request, value, index, length) =>
        Uint8Array.of(kind, request, value & 255, value >> 8, index, index >> 8, length & 255, length >> 8);
    const get = (name, kind, number, length) => [name, setup(0x80, 6, kind << 8 | number, kind === 3 && number ? 0x409 : 0, length)];
    const text = (bytes) => Buffer.from(bytes.slice(2)).toString("utf16le");
    const next = () => {
        current = requests.shift();
        answer = [];
        if (current) usb.sendSetupPacket(current[1]);
        else opened = true;
    };
    const done = (bytes) => {
        const [name] = current;
        if (name) said[name] = bytes;
        if (name === "head") requests.unshift(get("configuration", 2, 0, bytes[2] | bytes[3] << 8));
        if (name === "device") for (const [at, what] of [[14, "maker"], [15, "product"], [16, "serial"]])
            requests.splice(1, 0, get(what, 3, bytes[at], 255));
        next();
    };
    speed = () => {
        requests = [["", setup(0x21, 0x20, 0, 0, 7)]];
        next();
    };
    usb.onUSBEnabled = () => usb.resetDevice();
    usb.onResetReceived = () => {
        requests = resets++ ? [
            ["", setup(0, 5, 9, 0, 0)], get("device", 1, 0, 18), get("head", 2, 0, 9), get("languages", 3, 0, 255),
            ["", setup(0, 9, 1, 0, 0)], ["", setup(0x21, 0x20, 0, 0, 7)],
            ["coding", setup(0xa1, 0x21, 0, 0, 7)], ["", setup(0x21, 0x22, 3, 0, 0)],
        ] : [get("first", 1, 0, 64)];
        next();
    };
    usb.onEndpointWrite = (endpoint, bytes) => {
        if (endpoint === DATA && opened) sent.push(...bytes);
        if (endpoint || !current) return;
        const wanted = current[1][6] | current[1][7] << 8;
        if (!(current[1][0] & 0x80)) return done([]);
        answer.push(...bytes);
        answer.whole = bytes.length < 64 || answer.length >= wanted;
        end();
    };
    const end = () => { /* the emulator may tell of the empty packet back before it tells of the answer */
        if (!answer.whole || !answer.ended) return;
        if (current[0] !== "first") return done(answer);
        current = null;
        usb.resetDevice();
    };
    usb.onEndpointRead = (endpoint) => {
        if (endpoint === DATA) return hostSends(endpoint);
        if (current && current[1][1] === 0x20) return usb.endpointReadDone(0, coding);
        usb.endpointReadDone(0, new Uint8Array(0));
        if (!current) return;
        answer.ended = true;
        end();
    };
    usb.indicateBufferReady = (endpoint, out) => {
        if (endpoint === DATA && !out && !hostReads) unread.push(() => indicate(endpoint, out));
        else indicate(endpoint, out);
    };
    said.text = () => Object.fromEntries(Object.entries(said).filter(([name]) => name !== "text").map(([name, bytes]) =>
        [name, ["maker", "product", "serial"].includes(name) ? text(bytes) : bytes]));
};

let coding = Uint8Array.of(0x00, 0xc2, 0x01, 0, 0, 0, 8);

const hostSends = (endpoint) => {
    if (endpoint !== undefined) waitsForBytes = endpoint;
    if (waitsForBytes === null || !hostBytes.length || !opened) return;
    waitsForBytes = null;
    chip.usbCtrl.endpointReadDone(DATA, Uint8Array.from(hostBytes.splice(0, 64)));
};

/* ---------------------------------------------------------------- requests */

const run = (until, heard) => {
    const { clock } = simulator, { core } = chip, end = until * NANOS_A_CYCLE - born;
    hostBytes.push(...heard);
    hostSends();
    while (clock.nanos < end && state !== "boot-loader" && state !== "off") {
        /* rp2040js itself lets SysTick wake nobody */
        if (core.waiting && core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false;
        if (core.waiting) {
            clock.tick(Math.min(clock.nanosToNextAlarm, end - clock.nanos));
        } else if (core.PC < 0x4000) {
            callRom();
        } else {
            clock.tick(core.executeInstruction() * NANOS_A_CYCLE);
        }
        if (state === "watchdog") {
            start(WATCHDOG, born + clock.nanos);
            return run(until, []);
        }
    }
    if (state === "off") lasts = -1;
    const bytes = sent;
    sent = [];
    return Buffer.from(bytes);
};

const take = (count) => {
    const bytes = Buffer.alloc(count);
    for (let at = 0; at < count; ) {
        const got = readSync(0, bytes, at, count - at, null);
        if (!got) process.exit(0);
        at += got;
    }
    return bytes;
};
const give = (bytes) => {
    const all = Buffer.alloc(4 + bytes.length);
    all.writeUInt32LE(bytes.length);
    Buffer.from(bytes).copy(all, 4);
    for (let at = 0; at < all.length; ) at += writeSync(1, all, at);
};

loadUf2(readFileSync(image));
if (store !== "-") {
    const kept = readFileSync(store);
    if (kept.length) {
        flash.set(kept, FLASH_BYTES - SECTOR);
        mark(0).setUint32(0, 1, true);
        mark(0).setUint32(4, ~1 >>> 0, true);
    }
}
start(POWER_ON);
for (;;) {
    const request = String.fromCharCode(take(1)[0]);
    if (request === "B") start(take(1)[0]);
    else if (request === "V") {
        const bytes = take(2 * values.length);
        for (let i = 0; i < values.length; i++) values[i] = bytes.readUInt16LE(2 * i);
    }
    else if (request === "R") {
        const head = take(10);
        give(run(Number(head.readBigUInt64LE(0)), take(head.readUInt16LE(8))));
    } else if (request === "E") {
        const begins = FLASH_BYTES - (newestSector() + 1) * SECTOR;
        give(flash.subarray(begins, begins + SECTOR - 8));
    } else if (request === "S") {
        const free = chip.sram.subarray(0, RAM_FOR_ALL).reduce((count, byte) => count + (byte === PAINT), 0);
        give(Buffer.from(`${frames} ${Math.round(longestFrame / NANOS_A_CYCLE)} ${free} ${state}`));
    } else if (request === "H") {
        hostReads = take(1)[0] !== 0;
        if (hostReads) unread.splice(0).forEach((one) => one());
    } else if (request === "C") {
        coding = Uint8Array.from([...take(4), 0, 0, 8]);
        speed();
    } else if (request === "K") lasts = take(2).readUInt16LE();
    else if (request === "X") chip.core.PC = chip.readUint32(0x20000008) & ~1; /* where a fault would end */
    else if (request === "U") give(Buffer.from(JSON.stringify(said.text())));
    else fail(`no request ${request}`);
}
