import { useState } from 'preact/hooks';

/** An action that the node performs, with its progress and its error. */
export interface Action {
  readonly isWorking: boolean;
  readonly error: unknown;
  /** Runs the action unless it is running already. Never rejects: failures appear in `error`. */
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
