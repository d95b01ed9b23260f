// What stands in a report, as referee/library/report.py packs it: squares, ranks, seats and pieces are numbers, -1 is none.

/** Ranks, each followed by its chance in thousandths. */
export type Row = number[];

export type Ply = [seat: number, text: string, result: string | null, attacker: number, defender: number, guess: number, changes: number[][]];

export interface Knows {
  until: number | null;
  rows: Row[];
  changes: [ply: number, army: number, bits: number | null, groupOf: number[], rowOf: number[]][];
}

export interface Game {
  squares: [name: string, x: number, y: number][];
  ranks: [name: string, number: number | null, worth: number, many: number][];
  seats: string[];
  game: string | null;
  names: { [seat: string]: string };
  view: string;
  winners: string[];
  ending: [winner: string, reason: string | null];
  pieces: [seat: number, start: number, rank: number, first: number][];
  plies: Ply[];
  knows: { [observer: string]: Knows };
  turns: [ply: number, seat: number, kind: string, loss: number][];
  bluffs: [ply: number, seat: number, piece: string, against: string, called: boolean][];
  took: [seat: number, rank: number, piece: string, took: number] | null;
  waited: [seat: number, piece: string, plies: number][];
  /** By ply the seconds that the hands took, null where nobody can say; empty where no journal tells them. */
  times: (number | null)[];
  words: { [language: string]: { [key: string]: string } };
}
