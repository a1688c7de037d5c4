const FREE = 0;
const TAKEN = 1;
const SHUT = 2;

/** The maximum time that an exit waits. On a working disk, steps take far less. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Prevents an exiting process from ending a thread during a call of SQLite. The driver would abort the process, which
 * would lose its exit code. It uses shared memory, because an exit waits for nothing else.
 */
export class ExitGate {
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  /** Called in the thread: does the work, unless the process is exiting. */
  pass(work: () => void): void {
    if (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) !== FREE) return;
    try {
      work();
    } finally {
      Atomics.store(this.#state, 0, FREE);
      Atomics.notify(this.#state, 0);
    }
  }

  /** Called in the exiting thread: waits for running work, and prevents further work. */
  shut(): void {
    const deadline = performance.now() + LONGEST_WAIT_MS;
    while (Atomics.compareExchange(this.#state, 0, FREE, SHUT) === TAKEN && performance.now() < deadline) {
      Atomics.wait(this.#state, 0, TAKEN, deadline - performance.now());
    }
  }
}

const gates = new Set<ExitGate>();

const shutAll = (): void => {
  for (const gate of gates) gate.shut();
};

/** Shuts the gate when the process exits. The returned function removes the gate. */
export const shutAtExit = (gate: ExitGate): (() => void) => {
  // Uses one listener for all gates, because Node warns of many listeners as a leak.
  if (gates.size === 0) process.on('exit', shutAll);
  gates.add(gate);
  return () => {
    gates.delete(gate);
    if (gates.size === 0) process.off('exit', shutAll);
  };
};
