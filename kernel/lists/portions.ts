/** Yields the items in lists of at most this many, in order. */
export function* portions<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}
