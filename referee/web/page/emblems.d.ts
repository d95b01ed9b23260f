// The types of emblems.js, which is generated.

/** Ink or ground, the kind of shape, and its attributes in SVG; one with `stroke-width` is a line. */
export type Mark = [colour: string, tag: string, at: { [name: string]: string }];

export const EMBLEMS: { [rank: string]: Mark[] };
export const SIGNS: { [seat: string]: Mark[] };
export const COLOURS: { [seat: string]: { army: string; on: string } };
