import { type IncrementName, type ObjectStore, readIncrementName } from '../../kernel/internal-api.ts';
import { formatInstant, ServiceError } from '../../kernel/plugin-api.ts';
import { backupName, isBackupName, startOfBackup } from './backup-folder.ts';

/** A chain has the form of the name of a backup, so that sorting by name sorts by age. */
const PREFIX = 'increments-';
/** Bounds the list of a target, into which others may have put any number of objects. */
const MOST_OBJECTS = 2_000_000;

/** An increment in a target, as its name describes it. */
export interface SentIncrement extends IncrementName {
  readonly name: string;
  readonly bytes: number;
  /** True for one that lies in the clear where others are sealed. */
  readonly isClear: boolean;
}

/** A base with its increments, in their order. */
export interface SentChain {
  readonly name: string;
  readonly increments: readonly SentIncrement[];
  /** Those before the first that is missing or there twice. */
  readonly reachable: readonly SentIncrement[];
  /** The name of the first increment that does not follow the one before it. */
  readonly brokenAt: string | undefined;
  /** The first and the last point in time that it can bring back. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** True if its base lies in the clear where others are sealed, so that anybody may have made it up. */
  readonly isClear: boolean;
}

/** Returns the name of a chain that begins now. */
export const chainName = (nowMs: number, uuid: string): string => backupName(nowMs, uuid).replace('backup-', PREFIX);

export const startOfChain = (name: string): number => startOfBackup(name.replace(PREFIX, 'backup-'));

const isChainName = (name: string): boolean => name.startsWith(PREFIX) && isBackupName(name.replace(PREFIX, 'backup-'));

/** Returns the chains of a target, newest first. One without a base reaches nothing, and hides no other in silence. */
export const sentChains = async (target: ObjectStore): Promise<readonly SentChain[]> => {
  const found = new Map<string, SentIncrement[]>();
  let count = 0;
  for await (const { path, bytes, isSealed } of target.list(PREFIX)) {
    count += 1;
    if (count > MOST_OBJECTS) throw tooMany(target);
    const [chain = '', name = '', ...deeper] = path.split('/');
    const told = readIncrementName(name);
    if (!isChainName(chain) || told === undefined || deeper.length > 0) continue;
    const isClear = target.rewrap !== undefined && isSealed !== true;
    found.set(chain, [...(found.get(chain) ?? []), { name, ...told, bytes, isClear }]);
  }
  return [...found]
    .flatMap(([name, increments]) => chainOf(name, increments))
    .sort((one, other) => (one.name < other.name ? 1 : -1));
};

const chainOf = (name: string, given: readonly SentIncrement[]): SentChain[] => {
  const increments = [...given].sort((one, other) => one.number - other.number || (one.name < other.name ? -1 : 1));
  const [base] = increments;
  if (base === undefined) return [];
  const broken = increments.findIndex(({ number }, at) => number !== at || increments[at + 1]?.number === at);
  const reachable = broken === -1 ? increments : increments.slice(0, broken);
  const untilMs = reachable.at(-1)?.untilMs ?? base.untilMs;
  const brokenAt = increments[broken]?.name;
  return [{ name, increments, reachable, brokenAt, fromMs: base.untilMs, untilMs, isClear: base.isClear }];
};

/** A time between two recordings, to which no restore goes. Milliseconds since the epoch. */
export interface ChainGap {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A node that starts anew needs about as long, and nobody has to look into that. */
const SHORTEST_GAP_MS = 60_000;

/** Returns the long gaps in chains, which come newest first: the node was away, or the target was. */
export const longGaps = (chains: readonly SentChain[]): readonly ChainGap[] =>
  chains.flatMap((chain, at) => {
    const formerMs = chains[at + 1]?.untilMs ?? chain.fromMs;
    const gaps = [...gapsWithin(chain).toReversed(), { fromMs: formerMs, untilMs: chain.fromMs }];
    return gaps.filter(({ fromMs, untilMs }) => untilMs - fromMs >= SHORTEST_GAP_MS);
  });

const gapsWithin = ({ reachable }: SentChain): ChainGap[] =>
  reachable.flatMap(({ isResumed, untilMs }, at) => {
    const fromMs = reachable[at - 1]?.untilMs;
    return isResumed && fromMs !== undefined ? [{ fromMs, untilMs }] : [];
  });

export const showGap = ({ fromMs, untilMs }: ChainGap): string =>
  `no increments from ${formatInstant(fromMs)} to ${formatInstant(untilMs)}: the node or the target was away\n`;

export const gapJson = ({ fromMs, untilMs }: ChainGap): object => ({
  from: formatInstant(fromMs),
  until: formatInstant(untilMs),
});

/** The increments to read for a point in time, and that point itself. */
export interface ChosenPoint {
  readonly chain: string;
  readonly increments: readonly SentIncrement[];
  readonly untilMs: number;
  readonly gaps: readonly ChainGap[];
}

/**
 * Returns what brings back the last commit up to a point in time, or the last commit of all for null. Rejects with
 * `lookup` when no chain holds that point, and with `conflict` for a chain in the clear where a key seals others.
 */
export const chosenPoint = async (target: ObjectStore, atMs: number | null, nowMs: number): Promise<ChosenPoint> => {
  const chains = (await sentChains(target)).filter(({ name }) => startOfChain(name) <= nowMs);
  // Anybody who writes to the target can make up a clear chain, so a sealed one goes before it.
  const sealed = chains.filter(({ isClear }) => !isClear);
  const counted = sealed.length > 0 ? sealed : chains;
  const { chain, increments } = atMs === null ? lastOf(target, counted) : heldBy(target, counted, atMs);
  const clear = increments.find(({ isClear }) => isClear);
  if (clear !== undefined) throw liesClear(`${chain.name}/${clear.name}`);
  return { chain: chain.name, increments, untilMs: atMs ?? Number.MAX_SAFE_INTEGER, gaps: longGaps(counted) };
};

interface ChosenChain {
  readonly chain: SentChain;
  readonly increments: readonly SentIncrement[];
}

/** Returns the chain with the last commit of all. A chain goes on until the next one has more than its base. */
const lastOf = (target: ObjectStore, chains: readonly SentChain[]): ChosenChain => {
  const chain = lastAmong(chains);
  if (chain === undefined) throw tooEarly(target, chains);
  if (chain.brokenAt !== undefined) throw isBroken(chain, chain.brokenAt);
  return { chain, increments: chain.reachable };
};

/** Where two chains hold the point in time, the former one has every commit until then, and the next one its base. */
const heldBy = (target: ObjectStore, chains: readonly SentChain[], atMs: number): ChosenChain => {
  const begun = chains.filter(({ fromMs }) => fromMs <= atMs);
  const around = begun.filter(({ untilMs }) => atMs <= untilMs);
  const gaps = around.map((chain) => gapsWithin(chain).find(({ fromMs, untilMs }) => fromMs < atMs && atMs < untilMs));
  const holding = around.findLast((_, at) => gaps[at] === undefined);
  if (holding !== undefined) {
    const { reachable } = holding;
    return {
      chain: holding,
      increments: reachable.slice(0, reachable.findIndex(({ untilMs }) => untilMs >= atMs) + 1),
    };
  }
  const [gap] = gaps;
  if (gap !== undefined) throw tooLate(gap.fromMs, gap.untilMs);
  const last = lastAmong(begun);
  if (last === undefined) throw tooEarly(target, chains);
  if (last.brokenAt !== undefined) throw isBroken(last, last.brokenAt);
  throw tooLate(last.untilMs, chains.findLast(({ fromMs }) => fromMs > atMs)?.fromMs);
};

/** Chains come newest first. */
const lastAmong = (chains: readonly SentChain[]): SentChain | undefined =>
  chains.reduce<SentChain | undefined>(
    (last, chain) => (last !== undefined && sentUntil(last) >= sentUntil(chain) ? last : chain),
    undefined,
  );

const sentUntil = ({ increments }: SentChain): number => increments.at(-1)?.untilMs ?? 0;

/** Reads the increments of a chain one after another. */
export async function* readIncrements(
  target: ObjectStore,
  { chain, increments }: ChosenPoint,
  onBytes: (doneBytes: number, totalBytes: number) => void,
): AsyncGenerator<{ readonly name: string; readonly content: AsyncIterable<Uint8Array> }> {
  const total = increments.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name } of increments) {
    const content = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of target.read(`${chain}/${name}`)) {
        done += chunk.length;
        onBytes(done, total);
        yield chunk;
      }
    };
    yield { name, content: content() };
  }
}

const LIST = '"fact-memory-node backup list --from …" shows which points in time can be reached';

const tooEarly = ({ place }: ObjectStore, chains: readonly SentChain[]): ServiceError =>
  new ServiceError(
    'lookup',
    chains.length === 0
      ? `there are no increments in ${place}`
      : `the increments in ${place} begin after this point in time`,
    { hint: chains.length === 0 ? 'restore a backup: leave --at out' : LIST },
  );

const tooLate = (endMs: number, nextMs: number | undefined): ServiceError => {
  const later = nextMs === undefined ? '' : `, and the next begin at ${formatInstant(nextMs)}`;
  return new ServiceError('lookup', `the increments of that time end at ${formatInstant(endMs)}${later}`, {
    hint: `give one of these times, or a point in time outside; ${LIST}`,
  });
};

const isBroken = ({ name, reachable, fromMs, untilMs }: SentChain, increment: string): ServiceError =>
  new ServiceError('validation', `the increment ${name}/${increment} does not follow the one before it`, {
    hint:
      reachable.length === 0
        ? 'the base of these increments is missing: restore a point in time before it, or a backup'
        : `one is missing, or is there twice: ${reachedHint(fromMs, untilMs)}`,
  });

/** Says what a broken chain still brings back. */
export const reachedHint = (fromMs: number, untilMs: number): string =>
  `restore any point in time from ${formatInstant(fromMs)} to ${formatInstant(untilMs)}, or a backup`;

const liesClear = (name: string): ServiceError =>
  new ServiceError('conflict', `${name} lies in the clear, so anybody who writes to the target may have made it up`, {
    hint: 'to use it all the same, run the command without a key',
  });

const tooMany = ({ place }: ObjectStore): ServiceError =>
  new ServiceError('unavailable', `there are more than ${MOST_OBJECTS} increments in ${place}`, {
    hint: 'remove old ones with "fact-memory-node backup prune --from …"',
  });
