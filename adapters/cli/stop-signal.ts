/**
 * How long a node may take to drain before the process ends without it: 10 s are promised to the sender of the signal.
 */
export const STOP_LIMIT_MS = 9_500;

/** Under npm one Ctrl-C arrives twice, from the terminal and from npm; a person is not that fast. */
const SAME_SIGNAL_MS = 500;

export const STOP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT'];

export interface StopSignal {
  /** Resolves at the first signal. */
  readonly received: Promise<void>;
  /** As a first signal would; nothing when there was one. */
  raise(): void;
  dispose(): void;
}

export interface StopSignalOptions {
  /** False where another process handles a second signal. */
  readonly insisting: boolean;
  /** Called with the reason just before the process ends without a drain. */
  onForced?(why: string): void;
}

/** Listens for signals to stop. A drain that takes too long ends the process, and so does a second signal. */
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
