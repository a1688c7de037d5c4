/** The time that a node has to drain before the process ends. It is below the 10 s that the documentation promises. */
export const STOP_LIMIT_MS = 9_500;

/**
 * The time within which a second signal counts as the same one. Under npm, one Ctrl-C arrives twice: from the terminal
 * and from npm.
 */
const SAME_SIGNAL_MS = 500;

export const STOP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT'];

export interface StopSignal {
  /** Resolves at the first signal. */
  readonly received: Promise<void>;
  /** Acts like a first signal; does nothing after one. */
  raise(): void;
  dispose(): void;
}

export interface StopSignalOptions {
  /** Whether a second signal ends the process. False when another process handles second signals. */
  readonly insisting: boolean;
  /** Called with the reason just before the process ends without a drain. */
  onForced?(why: string): void;
}

/** Listens for stop signals. A second signal, or a drain beyond the time limit, ends the process at once. */
export const stopSignal = ({ insisting, onForced }: StopSignalOptions): StopSignal => {
  const end = (why: string): void => {
    onForced?.(why);
    process.exit(1);
  };
  let arrivedMs: number | undefined;
  let resolveReceived: () => void;
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  const onSignal = (): void => {
    const nowMs = performance.now();
    if (arrivedMs !== undefined) {
      if (insisting && nowMs - arrivedMs > SAME_SIGNAL_MS) end('a second signal came');
      return;
    }
    arrivedMs = nowMs;
    setTimeout(() => end('running requests took too long'), STOP_LIMIT_MS).unref();
    resolveReceived();
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return {
    received,
    raise() {
      if (arrivedMs === undefined) onSignal();
    },
    dispose() {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
    },
  };
};
