// What a referee publishes of its table, as pages read it: referee/table/views.py, whose fields have their meaning there.

/** "red", "blue", "green" or "yellow". */
export type Seat = string;
/** A value for each seat that has one. */
export type BySeat<T> = { [seat: string]: T };

export interface ClockFace {
  left_ms: number;
  runs: boolean;
}

export interface GameEnd {
  winner: Seat | null;
  reason: string;
}

export interface Square {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface BoardShape {
  columns: number;
  rows: number;
  squares: Square[];
  lakes: [number, number][];
}

export interface Info {
  game: string;
  rule_set: string;
  mode: string;
  seats: Seat[];
  teams?: Seat[][];
  names?: BySeat<string>;
  computers?: BySeat<number>;
  decided?: Seat[];
  army: { [rank: string]: number };
  numbers?: { [rank: string]: number };
  board: BoardShape;
  zones: BySeat<(string | null)[][]>;
  exits?: BySeat<string[]>;
  immobile?: string[];
  filled?: boolean;
  roots?: BySeat<string>;
  finale_s?: number;
}

export interface Attack {
  seat: Seat;
  source: string;
  target: string;
  result: string | null;
  denied?: Seat[];
  fires: boolean;
  guess: string | null;
  took?: BySeat<string>;
}

export interface LastMove {
  seat: Seat;
  source: string;
  target: string;
  final: boolean;
}

export interface DecidedMove {
  seat: Seat;
  source: string;
  target: string;
}

export interface Offer {
  kind: string;
  seat: Seat;
  ply: number | null;
  declined_by: Seat | null;
}

export interface Fix {
  square: string;
  wanted: Seat | null;
}

export interface Sighting {
  square: string;
  found: "empty" | "piece" | "unclear";
  seat: Seat | null;
}

export interface View {
  game: string;
  seq: number;
  phase: string;
  turn: Seat | null;
  ply: number;
  occupants: { [square: string]: Seat };
  captured: BySeat<{ [rank: string]: number }>;
  in_hand: string[];
  last_move: LastMove | null;
  attack: Attack | null;
  decided?: DecidedMove | null;
  ask: string | null;
  fixes: Fix[];
  saw: Sighting[];
  fault: string | null;
  waiting_for: Seat[];
  barred: string | null;
  connected: BySeat<boolean>;
  board_connected: boolean;
  board_fault: string | null;
  health: string[];
  result: GameEnd | null;
  flags: { seat: Seat; square: string; carried: boolean }[];
  called: Seat[];
  bars: { [square: string]: string[] };
  blind: string[];
  clocks: BySeat<ClockFace>;
  hall_clock: ClockFace | null;
  last_plies: BySeat<number>;
  offer: Offer | null;
  pause?: { seat: Seat; left_ms: number | null } | null;
  pauses_left?: BySeat<number>;
  graces?: BySeat<number>;
  finale?: string | null;
  turned?: { [square: string]: string };
  chain?: string;
  signed?: string[];
}

export interface PublicEvent {
  game: string;
  seq: number;
  kind: string;
  ply: number;
  seat: Seat | null;
  source: string | null;
  target: string | null;
  result: string | null;
  text: string | null;
  links?: string[];
}
