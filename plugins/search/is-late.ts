import type { Clock } from '../../kernel/plugin-api.ts';

/** Returns true if the work takes longer than `patienceMs`. The work continues either way. */
export const isLate = async (
  work: Promise<void>,
  patienceMs: number,
  clock: Pick<Clock, 'schedule'>,
): Promise<boolean> => {
  let cancel = (): void => {};
  const patience = new Promise<'late'>((resolve) => {
    cancel = clock.schedule(patienceMs, () => resolve('late'));
  });
  try {
    return (await Promise.race([work, patience])) === 'late';
  } finally {
    cancel();
  }
};
