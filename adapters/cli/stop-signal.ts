/** How long a node may take to drain before the process ends without it: 10 s are promised to whoever sent the signal. */
export const STOP_LIMIT_MS = 9_500;

/** One Ctrl-C reaches a program under npm twice, from the terminal and from npm; nobody means it twice that fast. */
const SAME_SIGNAL_MS = 500;

export const STOP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT'];

export interface StopSignal {
  /** Resolves at the first signal. */
  readonly received: Promise<void>;
  /** As a first signal would; nothing when there was one. */
  raise(): void;
  dispose(): void;
}

/**
 * Listens for signals to stop. A drain that takes too long ends the process, and so does a second signal, unless `insisting` is somebody
 * else's to notice.
 */
export const stopSignal = ({ insisting }: { readonly insisting: boolean }): StopSignal => {
  let arrivedMs: number | undefined;
  let resolveReceived: () => void;
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  const onSignal = (): void => {
    const nowMs = performance.now();
    if (arrivedMs !== undefined) {
      if (insisting && nowMs - arrivedMs > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    arrivedMs = nowMs;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
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
