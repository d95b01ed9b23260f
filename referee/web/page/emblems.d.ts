// The types of emblems.js, which is generated.

/** Ink or ground, the path, the width of its line or 0 for a filled one. */
export type Mark = [colour: string, path: string, width: number];

export const EMBLEMS: { [rank: string]: Mark[] };
export const SIGNS: { [seat: string]: Mark[] };
export const COLOURS: { [seat: string]: { army: string; on: string } };
