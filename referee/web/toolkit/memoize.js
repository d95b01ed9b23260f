// Remembering the last result of a pure function.

/**
 * Return a function that gives what `make` gives, and the same value again for as long as every argument is the same as last time.
 *
 * @template {unknown[]} Arguments
 * @template Result
 * @param {(...parts: Arguments) => Result} make
 * @returns {(...parts: Arguments) => Result}
 */
export function memoize(make) {
  /** @type {{ from: Arguments, result: Result } | null} */
  let last = null;
  return (...parts) => {
    const { from } = last ?? { from: null };
    if (last === null || from?.length !== parts.length || parts.some((part, at) => part !== from[at])) {
      last = { from: parts, result: make(...parts) };
    }
    return last.result;
  };
}
