// Which sentence a screen shows: the big one, the small one below it, and whether it is this player's to act.

import { afterAttack } from "./after_attack.js";
import { BESIDE_BOARD } from "./keeping.js";
import { armySize, astray, knows, placedIn } from "./state.js";
import { has, t } from "../toolkit/words.js";

/** @import { Attack, DecidedMove, Fix, GameEnd, Info, Sighting, View } from "../toolkit/published.d.ts" */
/** @import { Asked, InGame, Judged, Place, Rejected, Seated } from "./types.d.ts" */

/** @param {string} seat */
export function seatName(seat) {
  return t(`seat.${seat}`);
}

/**
 * Who plays an army: the computer with its level, the name that was told, else the army's.
 *
 * @param {Info} info
 * @param {string} seat
 */
export function playerName(info, seat) {
  const level = info.computers?.[seat];
  return level ? t("player.computer", { level }) : (info.names?.[seat] ?? seatName(seat));
}

/** @param {string | null} rank */
export function rankName(rank) {
  return t(`rank.${rank ?? "unknown"}`);
}

/**
 * How far a game is.
 *
 * @param {View} view
 */
export function moveOf(view) {
  return view.ply === 0 ? t("page.game") : t("turn.ply", { number: view.ply });
}

/** @param {string[]} seats */
function waitingFor(seats) {
  return seats.length === 0 ? "" : t("turn.waiting-for", { seat: seats.map(seatName).join(", ") });
}

/**
 * The attack on the board, with what its owner said aloud.
 *
 * @param {Attack} given
 */
function attackText({ source, target, fires, guess }) {
  if (guess !== null) return t("attack.infiltrates", { source, target, rank: rankName(guess) });
  return t(fires ? "attack.fires" : "attack.now", { source, target });
}

/**
 * { text, tone }; tones: "mine" (your move), "calm", "passing" (for a moment: not said aloud), "ask" (something to do), "end".
 *
 * @param {Seated} state
 */
export function headline(state) {
  const { view, place } = state;
  if (!state.connected) return { text: t("page.no-connection"), tone: "calm" };
  if (!state.referee) return { text: t("kiosk.no-referee"), tone: "calm" };
  if (view === null && state.info !== null) return { text: t("handset.wait"), tone: "passing" };
  if (view === null) return { text: beforeAGame(state.free), tone: "calm" };
  if (view.result !== null) return { text: resultText(view.result, place.seat, state.info), tone: "end" };
  if (!view.board_connected)
    return { text: t(has(`board.${view.board_fault}`) ? `board.${view.board_fault}` : "kiosk.no-board"), tone: "ask" };
  switch (view.phase) {
    case "waiting-for-move":
    case "piece-in-hand":
      if (view.decided) return { text: decidedText(view, view.decided), tone: view.decided.seat === place.seat ? "calm" : "ask" };
      if (view.turn === place.seat) return { text: t("turn.you"), tone: "mine" };
      return { text: t("turn.to-move", { seat: seatName(view.turn ?? "") }), tone: "calm" };
    case "waiting-for-declarations":
      if (view.attack !== null && view.attack.result === null) return { text: attackText(view.attack), tone: "ask" };
      return { text: waitingFor(view.waiting_for) || t("phase.waiting-for-declarations"), tone: "calm" };
    case "waiting-for-board":
      if (isCompared(view)) return { text: t("board.compared"), tone: "passing" };
      return { text: afterAttack(state)?.text ?? t("page.clear-board"), tone: "ask" };
    case "setting-up":
      return view.waiting_for.includes(place.seat) || view.waiting_for.length === 0
        ? { text: t("ask.set-up"), tone: "ask" }
        : { text: t("page.ready-waiting", { seat: view.waiting_for.map(seatName).join(", ") }), tone: "calm" };
    case "restoring":
      if (isCompared(view)) return { text: t("board.compared"), tone: "passing" };
      if (view.fault) return { text: faultText(view), tone: "ask" };
      if (sawAny(view) || view.ask === "corrected") return { text: t(`ask.${view.ask}`), tone: "ask" };
      return { text: t("phase.restoring"), tone: "ask" };
    default:
      return { text: t(`phase.${view.phase}`), tone: "calm" };
  }
}

/**
 * Whether the board is compared with the game after a pause or an attack, and nothing is known to be wrong.
 *
 * @param {View} view
 */
function isCompared({ phase, ask, fixes, fault, saw }) {
  if (phase !== "waiting-for-board" && phase !== "restoring") return false;
  return [null, "restore", "remove-captured"].includes(ask) && fixes.length === 0 && !fault && !saw?.length;
}

/**
 * Which rule the hands broke that are put right.
 *
 * @param {View} view
 */
function faultText(view) {
  return view.fault === "out-of-turn" ? t("refusal.out-of-turn", { seat: seatName(view.turn ?? "") }) : t(`refusal.${view.fault}`);
}

/**
 * Whom everybody waits for before the first game: seats that nobody has taken, null where that was not said.
 *
 * @param {string[] | null} free
 */
function beforeAGame(free) {
  if (free === null) return t("handset.no-game");
  return free.length === 0 ? t("kiosk.all-here") : waitingFor(free);
}

/** @param {string[] | null} free */
function howItBegins(free) {
  if (free === null) return "";
  return free.length === 0 ? t("page.start-there", { start: t("kiosk.start") }) : t("page.seats-how");
}

/**
 * Whether it is said what the sensors saw; then the big sentence says what to do about it.
 *
 * @param {View} view
 */
function sawAny(view) {
  return view.saw?.length > 0 && view.ask !== null;
}

/**
 * "Red and Green": seats that do something together.
 *
 * @param {string[]} seats
 */
function seatNames(seats) {
  const [last, ...before] = seats.map(seatName).reverse();
  return before.length === 0 ? last : t("seats.and", { first: before.reverse().join(", "), last });
}

/**
 * @param {GameEnd} result
 * @param {string} seat
 * @param {Info | null} info
 */
export function resultText(result, seat, info) {
  const { winner, reason } = result;
  if (winner !== null) {
    const winners = info?.teams?.find((team) => team.includes(winner)) ?? [winner];
    const others = winners.filter((each) => each !== seat);
    if (others.length === 0) return t("page.you-win");
    if (winners.includes(seat)) return t("page.you-win-with", { seats: seatNames(others) });
    return others.length === 1 ? t("result.wins", { seat: seatNames(others) }) : t("result.win-together", { seats: seatNames(others) });
  }
  return t(["aborted", "unfinished", "clock", "both-lose"].includes(reason) ? "result.none" : "result.draw");
}

/**
 * What to do, or what was played last. May be empty.
 *
 * @param {Seated} state
 */
export function detail(state) {
  if (!state.connected) return t("page.no-connection-how");
  if (!state.referee) return t("page.starts-again");
  if (!knows(state, "view")) return state.info === null ? howItBegins(state.free) : ""; // a game that is announced comes at once
  const { view } = state;
  if (view.result !== null) return [t(`end.${view.result.reason}`), turnedText(state), ...afterTheEnd(state)].filter(Boolean).join("\n");
  const [worst] = view.health ?? [];
  if (!worst || !has(`health.${worst}`)) return asked(state);
  return view.board_connected ? [t(`health.${worst}`), asked(state)].filter(Boolean).join("\n") : t(`health.${worst}`);
}

/**
 * Whether both armies are turned over: the question, once it is known, and to who has agreed when it will be.
 *
 * @param {InGame} state
 */
function turnedText({ view, info, consented, answered }) {
  if (view.finale === "asked" && !answered) return t("finale.ask");
  if (view.finale === "asked") return consented ? t("finale.agreed", { seconds: info?.finale_s ?? 0 }) : "";
  return view.finale ? t(`finale.${view.finale}`) : "";
}

/**
 * Who else wants another game, and whose phone cannot say so.
 *
 * @param {InGame} state
 */
function afterTheEnd({ view, place, wanting }) {
  const others = wanting.filter((seat) => seat !== place.seat);
  return [...others.map((seat) => t("table.rematch", { seat: seatName(seat) })), ...lostPhones(view, Object.keys(view.connected), place)];
}

/**
 * Those of these seats' phones that are away, but the own one.
 *
 * @param {View} view
 * @param {string[]} seats
 * @param {Place} place
 */
function lostPhones(view, seats, place) {
  return seats
    .filter((seat) => seat !== place.seat && view.connected[seat] === false)
    .map((seat) => t("page.phone-lost", { seat: seatName(seat) }));
}

/**
 * Which moves going back to where the game stood after a ply would undo, each with its army where all are known.
 *
 * @param {View} view
 * @param {number} ply
 */
export function undoneText(view, ply) {
  const seats = new Map(Object.entries(view.last_plies).map(([seat, number]) => [number, seat]));
  const plies = Array.from({ length: view.ply - ply }, (_, at) => ply + 1 + at);
  if (!plies.every((number) => seats.has(number))) return t("undone.moves", { first: ply + 1, last: view.ply });
  return plies.map((number) => t("undone.move", { number, seat: seatName(seats.get(number) ?? "") })).join(", ");
}

/**
 * Whose phone is missed: a clock stands still for it, and for how long at most, or it is waited for.
 *
 * @param {{ view: View, place: Place }} state
 */
function phonesAwaited({ view, place }) {
  const graces = Object.entries(view.graces ?? {});
  const waits = graces.map(([seat, left]) => t("clock.waits", { seat: seatName(seat), seconds: Math.ceil(left / 1000) }));
  const others = view.waiting_for.filter((seat) => !graces.some(([away]) => away === seat));
  return [...waits, ...lostPhones(view, others, place)];
}

/** @param {InGame} state */
function asked(state) {
  const { kind, declined_by: declined = null } = state.view.offer ?? {};
  const text = declined === null ? "" : t(`declined.${kind}`, { seat: seatName(declined) });
  return [text, ...phonesAwaited(state), askedOfHands(state)].filter(Boolean).join("\n");
}

/**
 * Who asks something of all others; before the view that says so has come, with two players the other one.
 *
 * @param {Seated} state
 */
function offering({ view, info, place }) {
  return seatName(view?.offer?.seat ?? info?.seats.find((seat) => seat !== place.seat) ?? "");
}

/**
 * @param {Seated} state
 * @param {number | null} [ply]
 */
function offerValues(state, ply) {
  return { seat: offering(state), moves: state.view === null ? "" : undoneText(state.view, ply ?? state.view.ply - 1) };
}

/** @param {InGame} state */
function askedOfHands(state) {
  const { view } = state;
  const carry = carrying(state);
  const quiet = view.ask === null && view.barred === null && view.fixes.length === 0;
  return [carry && quiet ? "" : askedOfAny(state), carry].filter(Boolean).join("\n");
}

/**
 * What a seat whose moves are decided elsewhere has decided.
 *
 * @param {View} view
 * @param {DecidedMove} move
 */
function decidedText(view, { seat, source, target }) {
  return t(view.occupants[target] ? "decided.attack" : "decided.move", { seat: seatName(seat), source, target });
}

/**
 * What hands shall do for a seat whose moves are decided elsewhere: now, or once the board is right; else who decides.
 *
 * @param {InGame} state
 */
function carrying({ view, info, place }) {
  const rests = view.phase === "waiting-for-move" || view.phase === "piece-in-hand";
  const move = view.decided ?? null;
  const lift = BESIDE_BOARD ? "screen.attack" : "decided.lift";
  if (move !== null && rests) return t(view.occupants[move.target] ? lift : "decided.please");
  if (move !== null) return view.phase === "restoring" ? t("decided.then", { ...move }) : "";
  const { turn } = view;
  const due = rests && view.last_move?.final !== false; // before, nothing can be decided
  if (due && turn === place.seat && info?.decided?.includes(turn)) return t("decided.how");
  return rests && turn && turn !== place.seat && info?.decided?.includes(turn) ? t("decided.wait", { seat: seatName(turn) }) : "";
}

/** @param {InGame} state */
function askedOfAny(state) {
  const { view } = state;
  if (view.phase === "setting-up") return setUpText(state);
  if (view.phase === "lobby") return "";
  if (view.phase === "paused") return pauseText(view);
  if (view.barred !== null) return [t(`refusal.${view.barred}`), fixesText(view.fixes)].filter(Boolean).join("\n");
  const hands = afterAttack(state);
  if (hands !== null) return [countsAs(state), fixesText(hands.rest)].filter(Boolean).join("\n");
  const fixes = fixesText(view.fixes);
  if (fixes) return sawAny(view) ? `${seenText(view.saw)}\n${fixes}` : `${fixesAsk(state)}${fixes}`;
  if (view.ask !== null && !isCompared(view) && has(`ask.${view.ask}`)) return askText(state);
  const barred = view.in_hand.flatMap((square) => view.bars?.[square] ?? []);
  if (barred.length > 0) return t("page.barred", { squares: barred.join(", ") });
  if (view.in_hand.length > 0) return t("kiosk.in-hand", { square: view.in_hand.join(", ") });
  if (view.attack !== null && view.attack.result !== null) return state.verdict === null ? t(`verdict.${view.attack.result}`) : "";
  if (view.last_move !== null) return t("kiosk.last-move", { ...view.last_move });
  return "";
}

/**
 * What a captured piece of the computer's was, which any piece of its colour stood for.
 *
 * @param {InGame} state
 */
function countsAs({ view, info }) {
  const captured = Object.entries(view.attack?.took ?? {}).filter(([seat]) => info?.computers?.[seat]);
  return captured.map(([seat, rank]) => t("fix.counts-as", { seat: seatName(seat), rank: rankName(rank) })).join("\n");
}

/**
 * Which pieces hinder the beginning, or what those who are not ready have to do, once this player is.
 *
 * @param {InGame} state
 */
function setUpText({ view, info, place }) {
  const misplaced = info === null ? "" : misplacedText(view, info);
  if (misplaced !== "" || view.waiting_for.length === 0 || view.waiting_for.includes(place.seat)) return misplaced;
  return t("ask.say-ready", { seat: view.waiting_for.map(seatName).join(", ") });
}

/**
 * Which pieces hinder the beginning: outside their zone, more than the army has, fewer once everybody is ready.
 *
 * @param {View} view
 * @param {Info} info
 */
function misplacedText(view, info) {
  const all = armySize(info);
  const of = (/** @type {string} */ seat) => {
    const [outside, number] = [astray(seat, view, info), placedIn(seat, view, info).length];
    if (outside.length > 0)
      return t("ask.outside-zone", { seat: seatName(seat), squares: outside.slice(0, 4).join(", ") + (outside.length > 4 ? " …" : "") });
    return number > all || (number < all && view.waiting_for.length === 0)
      ? t("ask.too-many-pieces", { seat: seatName(seat), number, all })
      : "";
  };
  return info.seats.map(of).filter(Boolean).join("\n");
}

/**
 * Who lets a paused game go on.
 *
 * @param {View} view
 */
function pauseText(view) {
  if (view.hall_clock?.left_ms === 0) return t("round.over");
  if (view.called.length > 0) return t("page.called", { seat: view.called.map(seatName).join(", ") });
  const { seat = "", left_ms: left = null } = view.pause ?? {};
  if (left !== null) return t("pause.limited", { seat: seatName(seat), minutes: Math.ceil(left / 60000) });
  if (view.waiting_for.length === 0) return t("pause.held", { resume: t("kiosk.resume") });
  if (seat !== "") return t("page.go-on-waiting", { seat: view.waiting_for.map(seatName).join(", ") });
  return [view.ask !== null && has(`ask.${view.ask}`) ? t(`ask.${view.ask}`) : "", waitingFor(view.waiting_for)].filter(Boolean).join(" ");
}

/** @param {InGame} state */
function askText(state) {
  const { view } = state;
  const waits = /^(declare|decide|confirm-.*)$/.test(view.ask ?? "");
  return [t(`ask.${view.ask}`, offerValues(state, view.offer?.ply)), waits ? waitingFor(view.waiting_for) : ""].filter(Boolean).join(" ");
}

/**
 * "I saw nothing on e4; a piece of Red on d5.", the first few squares; those that showed the same stand together.
 *
 * @param {Sighting[]} saw
 */
function seenText(saw) {
  const [groups, most] = [new Map(), 4];
  for (const { square, found, seat } of saw)
    groups.set(`${found} ${seat}`, [...(groups.get(`${found} ${seat}`) ?? []), { square, found, seat }]);
  const ordered = [...groups.values()].flat();
  const told = ordered.slice(0, most);
  const parts = [...groups.values()]
    .map((alike) => alike.filter((/** @type {Sighting} */ one) => told.includes(one)))
    .filter((alike) => alike.length > 0)
    .map(seenAlike);
  if (ordered.length > most) parts.push(t("saw.more", { number: ordered.length - most }));
  return t("saw.sentence", { parts: parts.join(t("saw.apart")) });
}

/** @param {Sighting[]} alike */
function seenAlike(alike) {
  const [{ found, seat }] = alike;
  const squares = alike.map(({ square }) => square).join(", ");
  if (found !== "piece") return t(found === "empty" ? "saw.nothing" : "saw.unclear", { squares });
  const key = alike.length === 1 ? "saw.piece" : "saw.pieces";
  return seat === null ? t(key, { squares }) : t(`${key}-of`, { seat: seatName(seat), squares });
}

/** @param {InGame} state */
function fixesAsk(state) {
  const { ask } = state.view;
  return ask !== null && ask !== "remove-captured" && has(`ask.${ask}`) ? `${askText(state)} ` : "";
}

/**
 * "d5: empty, e4: a piece of Red", the first few of them.
 *
 * @param {Fix[]} fixes
 */
function fixesText(fixes) {
  const said = fixes
    .slice(0, 4)
    .map(({ square, wanted }) => (wanted === null ? t("fix.empty", { square }) : t("fix.piece", { square, seat: seatName(wanted) })));
  return said.join(" · ") + (fixes.length > 4 ? " …" : "");
}

/**
 * How the last attack ended, from this seat's side: { text, tone }.
 *
 * @param {Judged} state
 */
export function verdictText(state) {
  const { verdict, view, place } = state;
  const attacked = view?.attack?.seat === place.seat;
  /** @type {{ [result: string]: boolean }} */
  const mine = { "attacker-wins": attacked, "defender-wins": !attacked, "flag-taken": attacked, infiltrated: attacked };
  if (verdict.result === "both-lost" || verdict.result === "wrong-guess") return { text: t(`verdict.${verdict.result}`), tone: "calm" };
  return mine[verdict.result] ? { text: t("page.piece-wins"), tone: "good" } : { text: t("page.piece-lost"), tone: "bad" };
}

/** @param {Rejected} rejected */
export function refusalText(rejected) {
  const { reason, detail: squares } = rejected;
  if (reason === "outside-zone") return t("set-up-fault.outside-zone", { squares: squares.join(", ") });
  for (const key of [`page.refused-${reason}`, `refusal.${reason}`]) if (has(key)) return t(key);
  return t("handset.not-taken", { reason });
}

/**
 * A choice of a question as a player reads it: a rank, an answer, or whose flags.
 *
 * @param {string} choice
 */
export function choiceText(choice) {
  if (has(`rank.${choice}`)) return rankName(choice);
  if (has(`handset.choice-${choice}`)) return t(`handset.choice-${choice}`);
  return choice.split(",").map(seatName).join(", ");
}

/** @param {Asked} state */
export function questionText(state) {
  const { kind, square, source, target, ply } = state.question;
  if (kind === "declare") return t(square === source ? "page.which-attacks" : "page.which-attacked", { source, target });
  if (kind === "abort") return t("page.asked-abort", { seat: offering(state) });
  if (kind === "take-back") return t("ask.confirm-take-back", offerValues(state, ply));
  /** @type {{ [kind: string]: string }} */
  const keys = {
    draw: "ask.confirm-draw",
    claim: "ask.confirm-claim",
    void: "ask.confirm-void",
    recruit: "page.which-recruit",
    slider: "handset.asked-slider",
    "take-flag": "page.which-flags",
  };
  return t(keys[kind] ?? "ask.decide", { seat: offering(state) });
}

/**
 * An infiltration and a shot were said aloud by their owner, so nobody can deny them.
 *
 * @param {Attack | null | undefined} attack
 */
export function wasTold(attack) {
  return Boolean(attack && (attack.fires || attack.guess !== null));
}

/**
 * What stands below a question: what the other says of it, whether the own answer has gone, and whom it still waits for.
 *
 * @param {Asked} state
 */
export function questionDetail(state) {
  const { view, place } = state;
  const [worst] = view === null || view.board_connected ? [] : (view.health ?? []);
  const broken = worst !== undefined && has(`health.${worst}`) ? t(`health.${worst}`) : "";
  const answered = view !== null && !view.waiting_for.includes(place.seat);
  const paused = view?.phase === "paused" ? [t("phase.paused"), answered ? pauseText(view) : ""] : [];
  const waits = answered ? [...phonesAwaited({ view, place }), paused.length > 0 ? "" : waitingFor(view.waiting_for)] : [];
  return [broken, ownAnswer(state), ...paused, ...waits].filter(Boolean).join("\n");
}

/**
 * That the other says it was no attack, that the own answer is on its way or has come, or what was said aloud of the attack.
 *
 * @param {Asked} state
 */
function ownAnswer({ question, answer, view, place, waiting }) {
  const denied = question.kind === "declare" ? (view?.attack?.denied ?? []) : [];
  const others = denied.filter((seat) => seat !== place.seat);
  if (others.length > 0) return t("page.denied-by", { seat: others.map(seatName).join(", ") });
  if (denied.includes(place.seat)) return t("page.denied");
  if (answer?.question === question.question) return t(answer.re in waiting ? "set-up.sending" : "page.may-change");
  return question.kind === "declare" && view?.attack && wasTold(view.attack) ? attackText(view.attack) : "";
}
