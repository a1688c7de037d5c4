/** The parts of the platform that the client uses. A test brings its own; programs leave it out. */
export interface Platform {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 to less than 1. */
  random(): number;
  /** Random bytes, for keys of requests. */
  bytes(count: number): Uint8Array;
  /** Calls back after a time; the returned function cancels it. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** The clock and randomness of this machine. */
export const PLATFORM: Platform = {
  now: () => Date.now(),
  random: () => Math.random(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a time; rejects with the reason of the signal as soon as it is aborted. */
export const pause = (platform: Platform, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = platform.schedule(delayMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Variables of the process, if there is one. */
export const environment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
