/** The pause between two looks. It grows while nothing changes, so that many open consoles are no load on the node. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
const GROWTH = 1.5;
/** The length of a pause in lengths of the answer before it. A large store counts all its facts for each answer. */
const REST_PER_ANSWER = 20;

export interface Watched {
  /** Returns a mark of the present state of the node, by one small request. */
  readonly probe: () => Promise<string>;
  /** Returns the mark of what the screen shows; undefined while it loads. */
  readonly shown: () => string | undefined;
  readonly onChange: () => void;
  readonly isVisible: () => boolean;
  /** The present time of any clock that does not jump. */
  readonly nowMs: () => number;
  readonly later: (delayMs: number, callback: () => void) => () => void;
}

export interface Watch {
  /** Looks at once, such as when a hidden tab is shown again. */
  look(): void;
  stop(): void;
}

/** Looks again and again whether the node has something new. A hidden tab asks for nothing. */
export const watchChanges = ({ probe, shown, onChange, isVisible, nowMs, later }: Watched): Watch => {
  let told: string | undefined;
  let waitMs = SHORTEST_MS;
  let isLooking = false;
  let isStopped = false;
  let cancel = (): void => undefined;
  const compare = async (): Promise<void> => {
    const askedMs = nowMs();
    const mark = await probe();
    const tookMs = nowMs() - askedMs;
    const known = shown();
    const isNew = known !== undefined && mark !== known && mark !== told;
    waitMs = Math.max(isNew ? SHORTEST_MS : Math.min(LONGEST_MS, waitMs * GROWTH), tookMs * REST_PER_ANSWER);
    if (!isNew || isStopped) return;
    told = mark;
    onChange();
  };
  const look = async (): Promise<void> => {
    cancel();
    if (isLooking || isStopped || !isVisible()) return;
    isLooking = true;
    try {
      await compare();
    } catch {
      // The screen shows errors of what it asks itself.
      waitMs = LONGEST_MS;
    }
    isLooking = false;
    if (!isStopped) wait();
  };
  const wait = (): void => {
    cancel = later(waitMs, () => void look());
  };
  wait();
  return {
    look: () => void look(),
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
};
