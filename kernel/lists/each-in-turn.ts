/**
 * Does work for each item, one after another. An item that fails holds up no other one. Rejects at the end with the
 * first failure.
 */
export const eachInTurn = async <T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> => {
  const failures: unknown[] = [];
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};
