import { type FactReader, isIn, type StoredFact } from '../../kernel/plugin-api.ts';

/** The maximum number of levels and facts of one walk. */
export const MAX_LEVELS = 64;
export const MAX_NODES = 1000;

/** A reference as one caller sees it: with the newest readable fact of this content id, or without a fact. */
export interface DerivationNode {
  readonly hash: string;
  readonly fact: StoredFact | undefined;
}

export interface DerivationEdge {
  readonly derivedFactId: string;
  readonly sourceHash: string;
}

export interface Derivations {
  /** The references of the root fact itself, in their stored order. */
  readonly direct: readonly DerivationNode[];
  /** All references that the walk found, each once, nearest first. */
  readonly nodes: readonly DerivationNode[];
  readonly edges: readonly DerivationEdge[];
  /** True if the walk stopped at its limits. */
  readonly truncated: boolean;
}

/**
 * Walks the source facts level by level, with one read per level, and only through facts that the caller may read. It
 * expands each fact once, so it also ends in cycles. Hidden and unknown references look the same.
 */
export const walkDerivations = async (
  reader: FactReader,
  root: StoredFact,
  maxLevels: number,
): Promise<Derivations> => {
  const nodes = new Map<string, DerivationNode>();
  const edges: DerivationEdge[] = [];
  const expanded = new Set([root.id]);
  let truncated = false;
  let frontier: readonly StoredFact[] = [root];
  for (let level = 0; level < maxLevels && frontier.length > 0; level += 1) {
    const fresh = new Set<string>();
    for (const fact of frontier) {
      for (const hash of new Set(fact.derivedFrom)) {
        const isNew = !nodes.has(hash) && !fresh.has(hash);
        if (isNew && nodes.size + fresh.size >= MAX_NODES) {
          truncated = true;
          continue;
        }
        if (isNew) fresh.add(hash);
        edges.push({ derivedFactId: fact.id, sourceHash: hash });
      }
    }
    const found = await newestByCid(reader, [...fresh]);
    const next: StoredFact[] = [];
    for (const hash of fresh) {
      const fact = found.get(hash);
      nodes.set(hash, { hash, fact });
      if (fact !== undefined && !expanded.has(fact.id)) {
        expanded.add(fact.id);
        next.push(fact);
      }
    }
    frontier = next;
  }
  truncated ||= frontier.some(({ derivedFrom }) => derivedFrom.length > 0);
  const direct = root.derivedFrom.map((hash) => nodes.get(hash) ?? { hash, fact: undefined });
  return { direct, nodes: [...nodes.values()], edges, truncated };
};

/** The number of additional facts per read, because a few facts may share a content id. */
const READ_SLACK = 100;

/** Returns the newest visible fact for each content id that has one. */
const newestByCid = async (reader: FactReader, cids: readonly string[]): Promise<ReadonlyMap<string, StoredFact>> => {
  const newest = new Map<string, StoredFact>();
  let wanted = cids;
  while (wanted.length > 0) {
    const limit = wanted.length + READ_SLACK;
    const found = await reader.find(isIn('cid', wanted), { view: 'visible', order: 'hlc', limit });
    for (const fact of found) if (!newest.has(fact.cid)) newest.set(fact.cid, fact);
    // A content id that many facts share can fill a page, so the next read skips the ids that are found.
    wanted = found.length < limit ? [] : wanted.filter((cid) => !newest.has(cid));
  }
  return newest;
};
