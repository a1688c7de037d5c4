/** The parts of the platform that the client uses. Tests replace them. */
export interface Platform {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Returns a random number from 0 to less than 1. */
  random(): number;
  /** Returns random bytes, for names that nothing else has. */
  bytes(count: number): Uint8Array;
  /** Calls `callback` after a delay. The returned function cancels it. */
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

/** Returns a name that nothing else has: 32 hexadecimal digits. */
export const freshKey = (platform: Platform): string =>
  Array.from(platform.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');

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

/** Returns the environment variables of the process, if there is one. */
export const environment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
