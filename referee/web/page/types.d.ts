// What the phone's page knows, and what the referee tells it (docs/reference/messages.md).

import type { BySeat, Info, View } from "../toolkit/published.d.ts";
import type { Child, Drawn } from "../toolkit/values.d.ts";

/** A seat that was taken, as join.js gives it and keeping.js keeps it: bytes as URL-safe base64. */
export interface Place {
  user: string;
  password: string;
  board: string;
  seat: string;
  ws: string;
  own: string;
  peer: string;
  digits: string;
  confirmed?: boolean;
  against?: number;
  link?: string;
}

export interface Wishes {
  language: string;
  direction: string;
  large: boolean;
  hears?: boolean;
  name?: string;
  shakes: boolean;
  sounds: boolean;
  awake: boolean;
  ranks?: Secrecy;
  shuffled?: boolean;
}

/** How long ranks stay on the screen: always, until the player has answered, or while he holds a button; undefined is what the game's mode wants. */
export type Secrecy = "open" | "answered" | "held";

/** What a player is called to the phone for. */
export type Call = "move" | "attacked";

/** `/rules.json` (referee/web/files.py). */
export interface Rules {
  name: string;
  filled: boolean;
  steps_first: boolean;
  order: string[];
  exceptions: [attacker: string | null, defender: string | null, verdict: string][];
  two_square_limit: number;
  /** Whether the table shows games that it keeps. */
  library: boolean;
  repetition: string;
  quiet_limit: number;
  moving_forfeits: boolean;
  specials: string[];
  seats: string[];
  partners: BySeat<string[]>;
  ranks: { [rank: string]: { count: number; number: number | null; gait: string } };
  zones: BySeat<string[]>;
  squares: { [square: string]: { neighbours: string[]; lines: string[][]; shots: string[] } };
}

export interface Question {
  question: number;
  kind: string;
  ply: number;
  source: string | null;
  target: string | null;
  square: string | null;
  choices: string[];
}

/** Ranks by square. */
export interface Ranks {
  [square: string]: string;
}

/** The `state` letter: what this seat alone knows. */
export interface SeatState {
  seat: string;
  ply: number;
  ready: boolean;
  own: Ranks;
  seen: Ranks;
  question: Question | null;
  seed: string | null;
}

export interface Verdict {
  question: number;
  ply: number;
  result: string;
  own: string;
  other: string | null;
}

export interface Rejected {
  re: string;
  reason: string;
  detail: string[];
  what: string | null;
}

/** What lies over the screen; `Sure` asks back about a wish, `Tell` asks for what no sensor sees, step by step. */
export interface Sheet {
  name: string;
}
export interface Sure extends Sheet {
  message: string;
}
export interface Tell extends Sheet {
  act: string;
  source?: string;
  target?: string;
  flags?: string[];
}

/** What this phone knows of the head of the chain that the table shows, as `Proof` of referee/table/heard_chain.py. */
export type Proof = "none" | "unheard" | "checked" | "differs";

/** The last moves of a game (moves.js), oldest first. */
export interface Moves {
  game: string;
  list: { ply: number; seat: string; source: string; target: string; result: string | null }[];
}

/** What can be told by tapping squares (cells.js). */
export interface Offers {
  pick: string[];
  attacks: { source: string; target: string }[];
  /** What a tap says instead of an attack: the seat's next move, where that is decided here. */
  says?: { type: string; ply: number };
}

/** What is forgotten with a game. */
export interface OfGame {
  info: Info | null;
  view: View | null;
  viewAt: number;
  lostAt: number | null;
  seat: SeatState | null;
  asked: string | null;
  known: string | null;
  enrolled: Ranks | null;
  question: Question | null;
  answer: { question: number; choice: string; re: string } | null;
  reopened: boolean;
  verdict: Verdict | null;
  ahead: boolean;
  fresh: number | null;
  told: { ply: number; reason: string; squares: string[] } | null;
  rejected: Rejected | null;
  waiting: { [id: string]: string };
  defender: string | null;
  editing: boolean;
  picked: string | null;
  again: boolean;
  consented: boolean;
  answered: boolean;
  closed: boolean;
  held: boolean;
  proof: Proof;
}

/** All that the page knows; state.js says what each field is. */
export interface State extends OfGame {
  stage: string;
  place: Place | null;
  wishes: Wishes;
  typed: string;
  fault: string | null;
  holder: string | null;
  connected: boolean;
  referee: boolean;
  free: string[] | null;
  locked: boolean;
  wanting: string[];
  everConnected: boolean;
  sheet: Sheet | null;
  covered: boolean;
  rules: Rules | null;
  moves: Moves;
}

/** A state in which these are known: with a seat, with a game on the table, with its rules besides, with a question, ... */
export type Has<Known extends keyof State> = { [name in Known]: NonNullable<State[name]> };
export type With<Known extends keyof State> = State & Has<Known>;
export type Seated = With<"place">;
export type InGame = With<"place" | "view">;
export type Playing = With<"place" | "info" | "view">;
export type Ruled = OnBoard & Has<"rules">;
export type Asked = With<"place" | "question">;
export type Judged = With<"place" | "verdict">;
/** What a board is drawn of. */
export type OnBoard = Pick<
  Playing,
  "info" | "view" | "seat" | "known" | "place" | "covered" | "wishes" | "rules" | "question" | "picked" | "connected"
>;

/** Something that happens, or that the player does. */
export interface Happening {
  type: string;
  [field: string]: any;
}
export type Act = (event: Happening) => void;

/** A message to the referee; its other fields are those of docs/reference/messages.md. */
export interface Message {
  type: string;
  id: string;
  [field: string]: any;
}

/** The big sentence of a screen, the small one, whether it is this player's to act, and what is to be heard before them. */
export interface Saying {
  text: string;
  detail: string;
  tone: string;
  told?: string[];
}

/** What a set-up has to be (set_up/sheet.js). */
export interface SetUpSheet {
  seat: string;
  rules: string;
  rows: (string | null)[][];
  squares: string[];
  army: Map<string, number>;
  size: number;
  numbers: { [rank: string]: number };
  filled: boolean;
  exits: string[];
  immobile: Set<string>;
  board: { columns: number; rows: number; squares: string[] };
  otherRows: BySeat<(string | null)[][]>;
}

/** Ranks by square. */
export type Placed = Map<string, string>;
export type Picked = { rank: string; square?: undefined } | { square: string; rank?: undefined };

/** A set-up in work (set_up/draft.js). */
export interface Draft {
  placed: Placed;
  picked: Picked | null;
  past: Placed[];
}

/** What is wrong with a text (set_up/text.js). */
export interface Fault {
  kind: string;
  line: number;
  text: string;
  rank: string | null;
  number: number;
}

/** The set-up screen's own state (set_up/state.js). */
export interface SetUpState {
  draft: Draft;
  handed: Placed | null;
  sent: { id: string; purpose: string; placed: Placed } | null;
  faults: Fault[];
  refused: { reason: string; detail: string[] } | null;
  panel: string | null;
  text: string;
  name: string;
  doomed: string | null;
  stored: boolean;
}

/** What the page tells the set-up screen. `purpose`: "enrol", "consent", or null where nothing is asked. */
export interface About {
  purpose: string | null;
  ready: boolean;
  wishes: Wishes;
  covered: boolean;
}

export interface Drag {
  hears(from: Picked | null, tap: () => void): { [event: string]: (event: any) => unknown };
  cancel(): void;
}

/** The door of the set-up screen (set_up/entry.js). */
export interface Entry {
  open(info: Info, seat: string): void;
  hear(letter: any): void;
  leave(): void;
  consent(): boolean;
  headline(about: About): Saying;
  body(about: About): Drawn;
  onward(about: About): Drawn | null;
}

export type Press = (event?: any) => unknown;
export type { BySeat, Child, Drawn, Info, View };

/** Where a square lies in the drawing: its middle and size, and those of the piece that stands on it. */
export interface Spot {
  x: number;
  y: number;
  width: number;
  height: number;
  px: number;
  py: number;
  size: number;
}
export interface Spots {
  [square: string]: Spot;
}

/** How a player sees the board (board.js). */
export interface Sight {
  wide: number;
  high: number;
  turned: boolean;
  at(x: number, y: number): [number, number];
}

/** A screen over which a sheet lies. */
export type Opened = With<"place" | "sheet">;
export type KeptIn = Pick<Storage, "getItem" | "setItem">;
/** A line of a text with its number, or a sign of it. */
export type Line = [line: number, text: string];
/** What the set-up screen draws besides its state: the set-ups that are kept, each with its name. */
export type Shown = About & { kept: [string, string][] };
