import { useState } from 'preact/hooks';

/** Something that the reader has the node do: whether it is under way, and what the node had against it. */
export interface Action {
  readonly isWorking: boolean;
  readonly error: unknown;
  /** Does it, unless it is under way already. Never rejects: what goes wrong is `error`. */
  run(work: () => Promise<void>): Promise<void>;
}

export const useAction = (): Action => {
  const [isWorking, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isWorking) return;
    setWorking(true);
    setError(undefined);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  return { isWorking, error, run };
};
