import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConnectionError } from '../../../../client/client.ts';

/** One write of an action on many items. */
export interface Step {
  readonly id: string;
  /** The item in words. */
  readonly name: string;
  /** The change, for the preview. */
  readonly change: string;
  /** Sends the write. `key` is the same when the step is tried again, so that the node executes it once. */
  run(key: string): Promise<unknown>;
}

export interface FailedStep {
  readonly step: Step;
  readonly error: unknown;
}

/** The progress of an action on many items. */
export interface Steps {
  readonly isRunning: boolean;
  readonly done: ReadonlySet<string>;
  readonly failed: readonly FailedStep[];
  /** Sends every write that is not done. Returns true if all are done, or if it was stopped. */
  run(steps: readonly Step[]): Promise<boolean>;
  /** Ends the run after the write that is under way. */
  stop(): void;
  /** Returns the ids of the writes that are done by now. */
  doneByNow(): ReadonlySet<string>;
}

/**
 * Sends the writes of an action one after another. It goes on after a refusal, and stops while the node is away. A
 * second run goes on where the first one stopped.
 */
export const useSteps = (): Steps => {
  const [action] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join('-'));
  const [isRunning, setRunning] = useState(false);
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<readonly FailedStep[]>([]);
  const isStopped = useRef(false);
  const finished = useRef(new Set<string>());
  const stop = (): void => {
    isStopped.current = true;
  };
  useLayoutEffect(() => stop, []);
  const run = async (steps: readonly Step[]): Promise<boolean> => {
    const refused: FailedStep[] = [];
    setRunning(true);
    setFailed([]);
    for (const step of steps) {
      if (isStopped.current) break;
      if (finished.current.has(step.id)) continue;
      try {
        await step.run(`console-${action}-${step.id}`);
        finished.current.add(step.id);
        setDone(new Set(finished.current));
      } catch (error) {
        refused.push({ step, error });
        if (error instanceof ConnectionError) break;
      }
    }
    setFailed(refused);
    setRunning(false);
    return refused.length === 0 || isStopped.current;
  };
  return { isRunning, done, failed, run, stop, doneByNow: () => finished.current };
};
