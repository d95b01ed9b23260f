// What the page of a board on a screen knows (docs/reference/messages.md, "A board on a screen").

import type { BoardShape, BySeat, View } from "../../toolkit/published.d.ts";

/** Place, seat, column, row, mm above the board. */
export type Magnet = [place: number, seat: string, x: number, y: number, mm: number];

/** Within so many ms to this column and row, so many mm above the board. */
export type Point = [ms: number, x: number, y: number, mm: number];

/** What a hand is asked to do. */
export interface Wish {
  hand: number;
  takes?: [x: number, y: number] | string;
  way?: Point[];
  ends?: "down" | "back";
}

export interface SetUp {
  /** The first of this page's hands. */
  hands: number;
  board: BoardShape;
  /** Where the sensor of each square is, as a column and a row. */
  places: { [square: string]: [x: number, y: number] };
  army: number;
  zones: BySeat<string[]>;
}

export interface Says {
  text: string;
  detail: string;
  tone: string;
  seats: string[];
  /** What of the public view is drawn; null while there is no game. */
  view: Pick<View, "phase" | "ask" | "fixes" | "attack" | "last_move" | "decided"> | null;
}

/** What a hand of this page holds: drawn where the finger is, ahead of what the board says. */
export interface Hold {
  hand: number;
  seat: string;
  /** The place from which it was taken; null: out of the box. */
  from: number | null;
  x: number;
  y: number;
  slides: boolean;
  /** From the finger to the middle of the piece. */
  off: [x: number, y: number];
  /** The time of the last point. */
  at: number;
  /** Points that were not said yet. */
  way: Point[];
  /** Whether the board has said that it is in this hand. */
  told: boolean;
  /** Whether it has been let go, and the board has not said so yet. */
  ended: boolean;
}

export interface State {
  setUp: SetUp | null;
  magnets: Magnet[];
  says: Says | null;
  /** Why there is no connection; empty while there is one. */
  fault: string;
  slides: boolean;
  holds: Map<number | string, Hold>;
  /** Which of board and phone is seen where both have no room. */
  front: "board" | "phone";
}
