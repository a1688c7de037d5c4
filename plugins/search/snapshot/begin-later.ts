/** Begins only when it is asked for the first item. */
export const beginLater = function* <T>(begin: () => Iterable<T>): Generator<T> {
  yield* begin();
};
