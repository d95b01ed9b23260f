// Which screen a state is.

import { digitsScreen, elsewhereScreen, joinScreen, thrownOffScreen } from "./screen_join.js";
import { tableScreen } from "./screen_table.js";
import { sheet } from "./sheets.js";
import { asShown, knows } from "./state.js";

/** @import { Drawn } from "../toolkit/values.d.ts" */
/** @import { Act, Entry, State } from "./types.d.ts" */

/** @type {{ [stage: string]: (state: any, act: Act, entry: Entry) => Drawn | Drawn[] }} */
const SCREENS = {
  join: joinScreen,
  joining: joinScreen,
  digits: digitsScreen,
  table: tableScreen,
  "thrown-off": thrownOffScreen,
  elsewhere: elsewhereScreen,
};

/**
 * @param {State} state
 * @param {Act} act
 * @param {Entry} entry
 */
export function render(state, act, entry) {
  const screen = [SCREENS[state.stage](state, act, entry)].flat();
  return knows(state, "place", "sheet") ? [...screen, sheet(asShown(state), act)] : screen;
}
