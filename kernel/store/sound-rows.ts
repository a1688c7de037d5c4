/** Reads rows until `limit` of them are sound. A damaged row thus neither shortens a page nor ends a list. */
export const soundRows = async <R, T>(
  limit: number,
  read: (after: R | undefined, limit: number) => Promise<readonly R[]>,
  parse: (rows: readonly R[]) => readonly T[],
): Promise<T[]> => {
  const sound: T[] = [];
  let after: R | undefined;
  for (let more = true; more; ) {
    const asked = limit - sound.length;
    const rows = await read(after, asked);
    sound.push(...parse(rows));
    after = rows.at(-1);
    more = rows.length === asked && sound.length < limit;
  }
  return sound;
};
