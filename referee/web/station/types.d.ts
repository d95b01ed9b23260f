// What a station tells its pages (referee/tournament/hall/pages.py), and what those keep of it.

import type { BySeat, ClockFace, GameEnd, Info, PublicEvent, Seat, View } from "../toolkit/published.d.ts";

export interface Alert {
  kind: string;
  seat: Seat | null;
  text: string;
  age_ms: number;
}

/** What clocks are read from; `heard`: when it came, by this page's own clock. */
export interface Clocks {
  clocks: BySeat<ClockFace>;
  hall_clock?: ClockFace | null;
  age_ms: number;
  heard: number;
}

/** One table as everybody in the room may see it. */
export interface Table extends Clocks {
  board: string;
  number: number;
  up: boolean;
  cut_ms: number | null;
  stuck: string | null;
  phase: string | null;
  turn: Seat | null;
  names: BySeat<string>;
  teams: Seat[][];
  result: GameEnd | null;
  occasion: { event: string; round: number; table: number } | null;
  alerts: Alert[];
}

/** All that is public of a table. */
export interface Whole extends Table {
  info: Info | null;
  view: View | null;
  events: PublicEvent[];
}

/** A message of the stream of tables. */
export interface Told {
  tables: Omit<Table, "heard">[];
  connected: boolean;
  event: number;
  names: { [event: string]: string };
}

export interface Hall {
  tables: Map<string, Table>;
  connected: boolean;
  event: number | null;
  names: { [event: string]: string };
}

/** One table as spectators see it, some minutes late. */
export interface LiveTable extends Clocks {
  board: string;
  number: number;
  names: BySeat<string>;
  turn: Seat | null;
  result: GameEnd | null;
  info: Info | null;
  view: View | null;
}

export interface Happened extends PublicEvent {
  at_ms: number;
}

export interface Step {
  ply: number;
  source: string;
  target: string;
  ran: boolean;
}

/** What everybody could see of a square (referee/net/topics/payloads.py). */
export interface SquareFacts {
  square: string;
  army: Seat | null;
  began: string | null;
  way: Step[];
  moved: number;
  ran: boolean;
  attacked: number;
  hands: { at_ms: number; square: string; what: string; ply: number }[];
}

/** The body of a refusal. */
export interface Refused {
  error: string;
  about?: string;
  /** What others did to the event since the page looked. */
  changes?: LogEntry[];
}

/** What was done with an event, as `given` says. */
export interface Done {
  act: string;
  given: { [key: string]: any };
}

/** An act of an event's log (docs/reference/event.md). */
export interface LogEntry extends Done {
  revision: number;
  at_ms: number;
  who: string;
  why: string;
  undone: boolean;
  undoable: boolean;
}

export type Answer<Body> = { ok: true; status: number; body: Body } | { ok: false; status: number; body: Refused };

/** What came of an order at its table. */
export interface Ack {
  done: boolean;
  word: string;
  facts: SquareFacts | null;
  history: Happened[];
}

export interface Me {
  name: string;
  role: "chief" | "arbiter" | "screen";
  screen_key: string;
  signs_with: string;
}

export interface Numbered {
  number: number;
  name: string;
}

export interface Player extends Numbered {
  rating: number;
  federation: string;
  gone: boolean;
  bye: string | null;
  present: boolean | null;
  group: string;
  team: number | null;
}

export interface Team extends Numbered {
  players: number[];
}

export interface PairRule {
  players: number[];
  kind: string;
  round: number | null;
}

export interface Paired {
  table: number;
  red: Numbered;
  blue: Numbered;
  result: string | null;
  reasons: string[];
}

export interface Round {
  round: number;
  tables: Paired[];
  byes: { player: Numbered; kind: string; reasons: string[] }[];
  ends?: { at_ms: number; at_end: string } | null;
  matches?: { teams: number[]; points: string[]; tables: number[] }[];
}

/** A line of the standings: besides these a text for each tie-break, by its name. */
export interface Standing extends Numbered {
  place: number;
  points: string;
  rounds: string[];
  group?: string;
  [tieBreak: string]: unknown;
}

/** An event as the room's screen shows it. */
export interface Posted {
  id: string;
  name: string;
  round: Omit<Round, "reasons"> | null;
  standings: Standing[];
}

export interface Event {
  id: string;
  name: string;
  system: string;
  revision: number;
  planned: number;
  next_round: number;
  tables: number[];
  accelerated: boolean;
  draws: string;
  groups: { name: string; players: number[] }[];
  team_boards: number;
  teams: Team[];
  team_standings: Standing[];
  bracket: { sides: (number | null)[]; winner: number | null; over: boolean }[][];
  check_in: { round: number; present: number[] } | null;
  pair_rules: PairRule[];
  requested: { number: number; round: number; kind: string }[];
  players: Player[];
  rounds: Round[];
  draft: Round | null;
  standings: Standing[];
  tie_breaks: string[];
  /** All that there are to choose from. */
  tie_break_words: string[];
  doubles: { round: number; table: number; says: string }[];
  playing: number[];
  stuck: { table: number; why: string }[];
  played: { id: string; name: string }[];
}

/** An order that is being filled in; it is about the moment that the page showed when it was opened. */
export interface Order {
  type: string;
  nth: number;
  game: string;
  seq: number;
  values: { [field: string]: string };
  touched: boolean;
}

/** What the last request to a table came to: on its way, or answered. */
export interface Asked {
  type: string;
  answer: Answer<Ack> | null;
}

export interface TableState {
  board: string;
  whole: Whole | null;
  facts: SquareFacts | null;
  times: Happened[] | null;
  order: Order | null;
  asked: Asked | null;
}

/** An act that is about to be done, once its reason is there; `fields` are what else it needs. */
export interface AskedAct {
  name: string;
  given: object;
  /** What it is, in the language of now. */
  text: () => string;
  needs: boolean;
  fields: string[];
  nth: number;
  revision: number;
}

export interface EventState {
  event: Event | null;
  refused: Refused | null;
  listed: boolean;
  round: number | null;
  asked: AskedAct | null;
  /** What was done last by such a form. */
  done: Done | null;
  log: LogEntry[] | null;
  logged: boolean;
  typed: { [field: string]: string };
}

/** What a chief sets up (referee/tournament/hall/office.py). */
export interface Office {
  secure: boolean;
  accounts: { name: string; role: string }[];
  tables: { number: number; board: string; up: boolean }[];
  events: { id: string; name: string; system: string; players: number; round: number; planned: number; plays: boolean; tables: number[]; names: string | null }[];
  /** What players are called in public where an event does not say. */
  names: string;
  systems: string[];
  tie_breaks: string[];
}

/** A table's way into the hall: the text of its file, and a QR code of it, a text of 0 and 1 a row. */
export interface Pass {
  board: string;
  text: string;
  code: string[];
}

export interface OfficeState {
  told: Office | null;
  refused: Refused | null;
  /** The name of the event that was made just now. */
  made: string | null;
  passes: Pass[];
  typed: { [field: string]: string };
}

/** All that the arbiters' page knows. `where`: "tables", "event", "event/ID", "office" or "table/BOARD". */
export interface State {
  me: Me | null;
  /** There is no chief yet: whoever has the code becomes one. */
  first: boolean;
  refused: Refused | null;
  typed: { [field: string]: string };
  where: string;
  hall: Hall;
  table: TableState | null;
  event: EventState;
  office: OfficeState;
}

/** Does what somebody wants, or notes what has happened. */
export type Act = (event: { type: string; [field: string]: any }) => void;
