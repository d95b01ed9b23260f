// The types of a screen's values (dom.js).

export interface Attributes {
  key?: string;
  focus?: boolean;
  on?: { [name: string]: (event: any) => unknown };
  [name: string]: unknown;
}

export interface Drawn {
  tag: string;
  attributes: Attributes;
  children: Value[];
}

/** An element, or a text. */
export type Value = Drawn | string;

/** What may stand where a child is wanted: nothing at all, or several. */
export type Child = Value | number | false | null | undefined | readonly Child[];
