import type { TokenCounter } from '../recall/recall-api.ts';

/** A text that an agent may load, with its conditions (docs/reference/instructions.md). */
export interface Unit {
  readonly name: string;
  readonly description: string;
  /** Entity of the facts that hold the text of the unit. */
  readonly factUri: string;
  /** Content id of the only text that may be loaded. If null, any text with authority may be loaded. */
  readonly pinnedCid: string | null;
  readonly intents: readonly string[];
  readonly keywords: readonly string[];
  readonly taskTypes: readonly string[];
  /** The author's estimate, or null. Only informative: the node counts the tokens of the content when it loads it. */
  readonly tokenEstimate: number | null;
  /** True if the unit is loaded for every intent. */
  readonly isGuaranteed: boolean;
  /** True for a guaranteed unit that comes before all others. */
  readonly isPrepended: boolean;
  readonly requiredByTaskTypes: readonly string[];
}

/** One version of an agent's manifest. Immutable: a change makes a new version. */
export interface Manifest {
  readonly version: string;
  /** In the order of their author. All names differ. */
  readonly units: readonly Unit[];
}

/** The text that the node compares with an intent. */
export const searchTextOf = ({ description, intents, keywords }: Unit): string =>
  [description, ...intents, ...keywords].join('\n');

/** Counts the tokens of the manifest itself: all descriptions of its units. */
export const tokensOf = ({ units }: Manifest, counter: TokenCounter): number => {
  if (units.length === 0) return 0;
  const lines = units.map((unit) => {
    const { name, description, factUri, intents, keywords, taskTypes, requiredByTaskTypes } = unit;
    return [name, description, factUri, ...intents, ...keywords, ...taskTypes, ...requiredByTaskTypes].join(' ');
  });
  return counter.count(lines.join('\n'));
};

const DEPLOYMENT = 'default';

/** Entity of the fact that holds a version. */
export const manifestUri = (agentId: string, version: string): string =>
  `instruction:${DEPLOYMENT}/agent/${agentId}/manifest/${version}`;

/** The parts of `instruction:<deployment>/agent/<agent_id>/<name>/<version>`, or null for anything else. */
export const partsOfUnitUri = (
  uri: string,
): { readonly agentId: string; readonly name: string; readonly version: string } | null => {
  const [head = '', kind, agentId, name, version, ...more] = uri.split('/');
  const deployment = head.startsWith(SCHEME) ? head.slice(SCHEME.length) : '';
  if (deployment === '' || kind !== 'agent' || !agentId || !name || !version || more.length > 0) return null;
  return { agentId, name, version };
};

const SCHEME = 'instruction:';
