// What stands between the board and the bar: a question with its answers, a verdict, targets, a notice.

import { hex, randomBytes } from "./bytes.js";
import { isBound } from "./commitments.js";
import { h } from "../toolkit/dom.js";
import { memoize } from "../toolkit/memoize.js";
import { signedText } from "../toolkit/seal_text.js";
import { button, icon } from "./parts.js";
import { piece, shownNumber } from "./pieces.js";
import { attacksNow } from "./reach.js";
import { choiceText, questionText, rankName, refusalText, verdictText, wasTold } from "./sentences.js";
import { asShown, isHidden, isReady, knows, piecesThere, secrecy } from "./state.js";
import { AT_ONCE } from "./touch.js";
import { has, t } from "../toolkit/words.js";

/** @import { Attack } from "../toolkit/published.d.ts" */
/** @import { Act, Asked, Judged, Playing, Question } from "./types.d.ts" */

/**
 * @param {Playing} state
 * @param {Act} act
 */
export function panel(state, act) {
  return [notice(state, act), main(state, act)];
}

/**
 * @param {Playing} state
 * @param {Act} act
 */
function main(state, act) {
  if (knows(state, "question")) return question(state, act);
  if (state.view.phase === "setting-up") return setUp(state, act);
  if (state.view.phase === "finished") return finished(state, act);
  if (state.view.phase === "paused") return arbiter(state, act);
  if (knows(state, "verdict")) return verdict(asShown(state, true));
  return targets(asShown(state), act);
}

/**
 * What this player alone is told: why a move was refused, which may rest on a rank, and what came of his own words.
 *
 * @param {Playing} state
 * @param {boolean} [open]   whether what rests on a rank may be said
 */
export function notices(state, open = true) {
  const { told, rejected, view } = state;
  return [
    open && told !== null && told.reason !== view.barred && has(`refusal.${told.reason}`) ? t(`refusal.${told.reason}`) : "",
    rejected === null ? "" : refusalText(rejected),
    isBound(state) === false ? t("handset.not-bound") : "",
    state.proof === "differs" ? t("proof.differs") : "",
  ].filter(Boolean);
}

/**
 * @param {Playing} state
 * @param {Act} act
 */
function notice(state, act) {
  const texts = notices(state);
  if (texts.length === 0) return null;
  const passing = state.told !== null || state.rejected !== null;
  return h(
    "div",
    { class: "notice bad", key: "notice" },
    h("span", {}, texts.join(" ")),
    passing ? button("", () => act({ type: "dismissed" }), { class: "close", "aria-label": t("page.close") }, icon("close")) : null,
  );
}

/**
 * @param {Playing & Asked} state
 * @param {Act} act
 */
function question(state, act) {
  const asked = state.question;
  const secret = asked.kind === "declare" && secrecy(state) !== "open";
  const answered = state.answer?.question === asked.question ? state.answer.choice : null;
  const sent = secret && answered !== null && !state.reopened;
  const chosen = secret ? null : answered;
  const choices = secret && state.wishes.shuffled ? dealt(asked.question, asked.choices.join(" ")) : asked.choices;
  return h(
    "section",
    { class: `question ${sent ? "sent" : ""}`, key: `question ${asked.question}` },
    state.covered
      ? button(t("page.show-answers"), () => act({ type: "cover", covered: false }), { class: "primary" })
      : [
          // takes the focus from "Show the answers"; the question was said before
          h("span", { class: "for-ears", tabindex: "-1" }, t("page.answers")),
          h(
            "div",
            { class: layout(asked), role: "group", "aria-label": questionText(state), inert: sent },
            choices.map((/** @type {string} */ choice) => choiceButton(state, act, choice, chosen)),
          ),
        ],
    sent && !state.covered ? button(t("page.change-answer"), () => act({ type: "reopen" }), { class: "plain-button" }) : null,
  );
}

/**
 * Ranks in an order of chance, the same for as long as the question stands: who sees where a finger taps learns nothing.
 *
 * @type {(question: number, choices: string) => string[]}
 */
const dealt = memoize((/** @type {number} */ _question, /** @type {string} */ choices) =>
  choices
    .split(" ")
    .map((choice) => ({ choice, lot: hex(randomBytes(8)) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .map(({ choice }) => choice),
);

/**
 * While the table stands still the arbiter is one tap away; in the menu he always is.
 *
 * @param {Playing} state
 * @param {Act} act
 */
export function arbiter({ view, place }, act) {
  if (view.called.includes(place.seat)) return null;
  return button(t("page.call-arbiter"), () => act({ type: "say", message: { type: "call-arbiter" } }), {
    class: "plain-button",
    key: "arbiter",
  });
}

/**
 * "This is no attack": quiet, for a hand that was misread, and plain once the other has said so. Pressed it keeps the focus.
 *
 * @param {Playing & Asked} state
 * @param {Act} act
 */
export function denial(state, act) {
  const { question, view, place } = state;
  const denied = view.attack?.denied ?? [];
  if (question.kind !== "declare" || wasTold(view.attack)) return null;
  const said = denied.includes(place.seat);
  const press = () => said || act({ type: "say", message: { type: "no-attack", question: question.question } });
  const look = denied.length > Number(said) ? "plain-button" : "quiet";
  return button(t("page.no-attack"), press, { class: look, key: "no-attack", "aria-disabled": said ? "true" : null });
}

/** @param {Question} given */
function layout({ kind, choices }) {
  if (choices.length > 1 && (kind === "declare" || kind === "recruit")) return choices.length > 9 ? "ranks many" : "ranks";
  return choices.length > 3 ? "answers many" : "answers";
}

/**
 * @param {Playing & Asked} state
 * @param {Act} act
 * @param {string} choice
 * @param {string | null} chosen
 */
function choiceButton(state, act, choice, chosen) {
  const asked = state.question;
  const message =
    asked.kind === "declare"
      ? { type: "declare", question: asked.question, rank: choice }
      : { type: "answer", question: asked.question, choice };
  const silent = asked.kind === "declare" && !state.wishes.hears;
  const attributes = {
    class: choice === chosen ? "choice chosen" : "choice",
    "aria-pressed": silent ? null : String(choice === chosen),
    key: choice,
    on: AT_ONCE,
  };
  const alone = asked.kind === "declare" && asked.choices.length === 1; // no other rank is left: its owner knows it
  if (alone && isHidden(state)) return button(t("page.tell-rank"), () => act({ type: "say", message }), attributes);
  const isRank = choice in (state.rules?.ranks ?? state.info.army);
  const picture = isRank ? rankPiece(state, state.place.seat, choice) : null;
  const mute = alone && silent;
  const text = h("span", { "aria-hidden": mute ? "true" : null }, choiceText(choice));
  const label = mute ? t("page.tell-rank") : null;
  return button("", () => act({ type: "say", message }), { ...attributes, "aria-label": label }, picture, text);
}

/**
 * @param {Pick<Playing, "info" | "wishes">} state
 * @param {string} seat
 * @param {string | null} rank
 */
export function rankPiece(state, seat, rank) {
  return piece(seat, { rank, number: rank === null ? null : shownNumber(rank, state.info.numbers, state.wishes.direction) });
}

/**
 * Who fought and how it ended; while ranks are hidden, only that.
 *
 * @param {Playing & Judged} state
 */
function verdict(state) {
  const { own, other } = state.covered ? { own: null, other: null } : state.verdict;
  const { text, tone } = verdictText(state);
  const attack = state.view.attack;
  const rival = attack === null ? null : [attack.seat, ownerOfTarget(state, attack)].find((seat) => seat !== state.place.seat);
  return h(
    "section",
    { class: `verdict ${tone}`, key: `verdict ${state.verdict.question}` },
    side(state, state.place.seat, own, tone !== "bad"),
    h("strong", {}, text),
    rival ? side(state, rival, other, tone !== "good") : null,
  );
}

/**
 * Whose piece was attacked; with two seats it is the other one, with more the verdict letter is about one of the rivals.
 *
 * @param {Playing} state
 * @param {Attack} attack
 */
function ownerOfTarget(state, attack) {
  if (attack.seat !== state.place.seat) return state.place.seat;
  const rivals = state.info.seats.filter((seat) => !(state.rules?.partners[state.place.seat] ?? [state.place.seat]).includes(seat));
  return rivals.length === 1 ? rivals[0] : (state.defender ?? rivals[0]);
}

/**
 * @param {Playing} state
 * @param {string} seat
 * @param {string | null} rank
 * @param {boolean} stays   a piece that was captured is known to everybody
 */
function side(state, seat, rank, stays) {
  const mute = stays && state.view.attack?.result !== "both-lost" && !state.wishes.hears;
  const name = state.covered ? " " : rankName(rank);
  return h("div", { class: "fighter" }, rankPiece(state, seat, rank), h("small", { "aria-hidden": mute ? "true" : null }, name));
}

/**
 * @param {Playing} state
 * @param {Act} act
 */
function targets(state, act) {
  const pairs = knows(state, "rules") ? attacksNow(state) : [];
  if (pairs.length === 0) return null;
  const tell = (/** @type {{ source: string, target: string }} */ { source, target }) =>
    button(t("page.attack-square", { square: target }), () => act({ type: "say", message: { type: "attack", source, target } }), {
      class: "primary",
      key: `${source} ${target}`,
    });
  return h("section", { class: "targets", key: "targets" }, pairs.map(tell));
}

/**
 * @param {Playing} state
 * @param {Act} act
 */
function setUp(state, act) {
  const { info } = state;
  const { there, all, lacking } = piecesThere(state);
  const first = lacking && info.mode !== "enrol" && !isReady(state);
  return h(
    "section",
    { class: "set-up", key: "set-up" },
    h("p", { class: "count" }, t(first ? "handset.pieces-first" : "page.pieces-there", { number: there, all })),
    info.mode === "enrol" ? button(t("set-up.change"), () => act({ type: "edit", editing: true }), { class: "plain-button" }) : null,
  );
}

/**
 * The answers to "Turn both armies over?", which stands above: asked once. A no is said to nobody.
 *
 * @param {Act} act
 */
function turnOver(act) {
  const answer = (/** @type {string} */ word, /** @type {() => void} */ press) =>
    button(t(`finale.${word}`), press, { class: "choice", key: word });
  return h(
    "section",
    { class: "question", key: "finale" },
    h(
      "div",
      { class: "answers", role: "group", "aria-label": t("finale.ask") },
      answer("yes", () => act({ type: "consent" })),
      answer("no", () => act({ type: "answered-end" })),
    ),
  );
}

/**
 * @param {Playing} state
 * @param {Act} act
 */
function finished(state, act) {
  const signed = signedText(state.view);
  if (state.view.finale === "asked" && !state.answered) return turnOver(act);
  return [
    signed ? h("p", { class: "hint", key: "signed" }, signed) : null,
    state.consented
      ? h("p", { class: "hint", key: "consent" }, t("page.consented"))
      : button(t("handset.consent"), () => act({ type: "consent" }), { class: "plain-button", key: "consent" }),
    state.rules?.library && again(state, act),
  ];
}

/**
 * To the replay of the game; on its side a phone has the menu for that.
 *
 * @param {Playing} state
 * @param {Act} act
 */
function again({ view }, act) {
  const see = () => act({ type: "visit", path: `/games/${view.game}` });
  return button(t("games.again"), see, { class: "plain-button where-high", key: "again" });
}
