// Remembering the last result of a pure function.

// Return a function that gives what `make` gives, and the same value again for as long as every argument is the same as last time.
export function memoize(make) {
  let [from, made] = [null, null];
  return (...parts) => {
    if (from === null || from.length !== parts.length || parts.some((part, at) => part !== from[at]))
      [from, made] = [parts, make(...parts)];
    return made;
  };
}
