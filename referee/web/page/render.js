// Which screen a state is.

import { digitsScreen, elsewhereScreen, joinScreen, thrownOffScreen } from "./screen_join.js";
import { tableScreen } from "./screen_table.js";
import { sheet } from "./sheets.js";

const SCREENS = {
  join: joinScreen,
  joining: joinScreen,
  digits: digitsScreen,
  table: tableScreen,
  "thrown-off": thrownOffScreen,
  elsewhere: elsewhereScreen,
};

export function render(state, act, entry) {
  return [SCREENS[state.stage](state, act, entry), state.sheet === null ? null : sheet(state, act)].filter((each) => each !== null);
}
