#include "hm_core.h"
#include "hm_port.h"

static const char HM_FLASH self_test[] = "self-test: ";
static const char HM_FLASH good[] = " squares good";
static const char HM_FLASH reads[] = " reads ";

static uint16_t get16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

static void put_number(hm_message *out, uint16_t number) {
    uint16_t digit = 10000;
    while (digit > 1 && number < digit)
        digit /= 10;
    for (; digit; digit /= 10)
        hm_put8(out, (uint8_t)('0' + number / digit % 10));
}

static void begin_log(hm_core *core, uint8_t level, uint32_t now_ms) {
    hm_begin(core, HM_LOG, now_ms);
    hm_put8(&core->out, level);
    hm_put8(&core->out, 0); /* how long the text is: end_log knows */
    hm_put_text(&core->out, self_test);
}

static void end_log(hm_core *core) {
    /* head, seq, board_ms, level and the count itself come before the text */
    core->out.bytes[HM_BOARD_HEAD_BYTES + 2] = (uint8_t)(core->out.used - HM_BOARD_HEAD_BYTES - 2);
    hm_end(core, true);
}

static void say_self_test(hm_core *core, uint32_t now_ms) {
    bool bad = false;
    for (uint16_t number = 0; number < HM_TESTED; number++) {
        uint16_t value;
        if (!hm_sensors_broken(&core->sensors, (uint8_t)number, &value))
            continue;
        bad = true;
        begin_log(core, HM_LOG_LEVEL_ERROR, now_ms);
        hm_put_text(&core->out, hm_tested_name);
        put_number(&core->out, number);
        hm_put_text(&core->out, reads);
        put_number(&core->out, value);
        end_log(core);
    }
    if (bad)
        return;
    begin_log(core, HM_LOG_LEVEL_INFO, now_ms);
    put_number(&core->out, HM_SQUARES);
    hm_put_text(&core->out, good);
    end_log(core);
}

static void say_raw(hm_core *core, uint32_t now_ms) {
    for (uint16_t first = 0; first < HM_RAWS; first += HM_RAW_VALUES_MAX) {
        uint16_t left = HM_RAWS - first;
        uint8_t count = (uint8_t)(left < HM_RAW_VALUES_MAX ? left : HM_RAW_VALUES_MAX);
        hm_begin(core, HM_RAW, now_ms);
        hm_put8(&core->out, (uint8_t)first);
        hm_put8(&core->out, count);
        for (uint8_t i = 0; i < count; i++)
            hm_put16(&core->out, hm_sensors_raw(&core->sensors, core->readings, (uint8_t)(first + i)));
        hm_end(core, true);
    }
}

static hm_outcome carry_out(hm_core *core, uint8_t type, const uint8_t *payload) {
    hm_outcome outcome = {HM_ACK_RESULT_DONE, 0};
    uint16_t value;
    switch (type) {
    case HM_THRESHOLDS:
        return hm_sensors_set_thresholds(&core->sensors, get16(payload), get16(payload + 2));
    case HM_ZERO:
        return hm_sensors_set_zero(&core->sensors, payload[0], get16(payload + 1));
    case HM_GAIN:
        return hm_sensors_set_gain(&core->sensors, payload[0], payload[1], (int16_t)get16(payload + 2));
    case HM_SAVE:
        hm_sensors_save(&core->sensors);
        break;
    case HM_SELF_TEST:
        for (uint16_t number = 0; number < HM_TESTED; number++)
            outcome.detail += hm_sensors_broken(&core->sensors, (uint8_t)number, &value);
        if (outcome.detail)
            outcome.result = HM_ACK_RESULT_FAILED;
        break;
    default: /* what only asks has nothing to carry out */
        break;
    }
    return outcome;
}

static bool makes_sense(uint8_t type, const uint8_t *payload, uint8_t length) {
    switch (type) {
    case HM_ASK_HELLO:
    case HM_SAVE:
    case HM_SELF_TEST:
        return length == 0;
    case HM_ASK_KEYFRAME:
        return length == HM_ASK_KEYFRAME_BYTES && payload[0] <= 1;
    case HM_THRESHOLDS:
        return length == HM_THRESHOLDS_BYTES;
    case HM_ZERO:
        return length == HM_ZERO_BYTES;
    case HM_GAIN:
        return length == HM_GAIN_BYTES && payload[1] <= HM_READING_UNSURE;
    default:
        return false;
    }
}

void hm_obey(hm_core *core, const uint8_t *body, uint8_t length, uint32_t now_ms) {
    uint8_t type = body[0] & 15;
    const uint8_t *payload = body + HM_HOST_HEAD_BYTES;
    if (body[0] >> 4 != HM_VERSION || !makes_sense(type, payload, (uint8_t)(length - HM_HOST_HEAD_BYTES)))
        return;
    hm_outcome outcome = carry_out(core, type, payload);
    if ((type == HM_THRESHOLDS || type == HM_ZERO || type == HM_GAIN) && outcome.result != HM_ACK_RESULT_BAD_ARGUMENT &&
        outcome.result != HM_ACK_RESULT_UNKNOWN_COMMAND && hm_sensors_judge(&core->sensors, core->readings))
        core->changed = true;
    hm_begin(core, HM_ACK, now_ms);
    hm_put8(&core->out, type);
    hm_put8(&core->out, body[1]);
    hm_put8(&core->out, outcome.result);
    hm_put16(&core->out, outcome.detail);
    hm_end(core, true);
    if (type == HM_ASK_HELLO)
        hm_say_hello(core, now_ms);
    if (type == HM_ASK_KEYFRAME)
        hm_say_keyframe(core, now_ms, true);
    if (type == HM_ASK_KEYFRAME && payload[0])
        say_raw(core, now_ms);
    if (type == HM_SELF_TEST)
        say_self_test(core, now_ms);
}
