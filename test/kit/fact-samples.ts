import {
  type Cover,
  equals,
  type FactOutline,
  type FactStore,
  type Hlc,
  type Snapshot,
  type StoredFact,
  type TripleKey,
  type WriteTransaction,
} from '../../ports/ports.ts';

/** The base instant of the samples: 2026-03-02T09:15:04.120Z. */
export const SAMPLE_MS = 1_772_442_904_120;

/** Returns a stamp some milliseconds after `SAMPLE_MS`. */
export const stamp = (afterMs: number, counter = 0): Hlc => ({ wallMs: SAMPLE_MS + afterMs, counter });

export const SAMPLE_TRIPLE: TripleKey = {
  tenantId: 'default',
  entityKey: 'user:alice',
  relationKey: 'memory:role',
  scope: 'company',
  gardenId: null,
};

/**
 * Returns the `n`-th sample fact: id, cid and stamps depend on `n`, so that facts of different numbers have different
 * unique members.
 */
export const sampleFact = (n: number, members: Partial<StoredFact> = {}): StoredFact => {
  const hlc = members.hlc ?? stamp(n);
  return {
    ...SAMPLE_TRIPLE,
    id: sampleId(n),
    entity: 'user:Alice',
    relation: 'memory:role',
    value: { type: 'string', v: `value ${n}`, interpretAs: 'content' },
    valueKey: `s:value ${n}`,
    source: 'agent:W1',
    sourceKey: 'agent:w1',
    timestamp: '2026-03-02T10:15:04.120+01:00',
    timestampMs: SAMPLE_MS + n,
    confidence: 1,
    validFrom: null,
    validFromMs: null,
    validUntil: null,
    validUntilMs: null,
    cid: `sha256:${String(n).padStart(64, '0')}`,
    derivedFrom: [],
    replaces: [],
    system: false,
    attested: null,
    attestedKeyId: null,
    sessionId: null,
    assertedBy: 'agent:admin',
    receivedFrom: null,
    originNodeId: null,
    speaker: null,
    originId: null,
    hlc,
    hlcText: `${hlc.wallMs}.${hlc.counter}`,
    feed: hlc,
    ...members,
  };
};

export const sampleId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Returns a sample fact with a value for every nullable member. */
export const fullFact = (n: number): StoredFact =>
  sampleFact(n, {
    entity: 'svc://Alpha.example/user/Noor Ä',
    entityKey: 'svc://alpha.example/user/noor-ä',
    value: { type: 'text', v: 'line\u2028separator, 😀 and e\u0301', interpretAs: 'instruction' },
    confidence: 0.1 + 0.2,
    scope: 'public',
    validFrom: '2026-01-01T00:00:00.5Z',
    validFromMs: SAMPLE_MS - 1_000_000,
    validUntil: '2026-12-31T23:59:60Z',
    validUntilMs: SAMPLE_MS + 1_000_000,
    gardenId: '7b0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
    derivedFrom: [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`],
    replaces: ['fact-at-c', 'fact-at-b svc:node:b'],
    system: true,
    attested: false,
    attestedKeyId: 'key-1',
    sessionId: 'conversation 7/1',
    assertedBy: null,
    receivedFrom: 'svc:node:b',
    originNodeId: 'svc:node:c',
    speaker: 'svc:node:c',
    originId: 'fact-at-c',
    hlc: stamp(-5_000, 10),
    hlcText: `0${SAMPLE_MS - 5_000}.0010`,
    feed: stamp(n, 3),
  });

/** Returns a cover of the sample triple. */
export const sampleCover = (factId: string, hlc: Hlc, members: Partial<Cover> = {}): Cover => ({
  ...SAMPLE_TRIPLE,
  kind: 'retraction',
  factId,
  assertedBy: null,
  named: null,
  gardenId: null,
  hlc,
  speaker: null,
  since: hlc,
  ...members,
});

export const outlineOf = ({ value, ...fact }: StoredFact): FactOutline => ({
  ...fact,
  interpretAs: value.interpretAs,
});

/** Inserts the facts, in one write per tenant. */
export const storeFacts = async (store: FactStore, facts: readonly StoredFact[]): Promise<void> => {
  for (const tenant of new Set(facts.map(({ tenantId }) => tenantId))) {
    const own = facts.filter(({ tenantId }) => tenantId === tenant);
    await store.write(tenant, (transaction) => transaction.insert(own));
  }
};

export const idsOf = (facts: readonly { readonly id: string }[]): string[] => facts.map(({ id }) => id);

export const factById = async (snapshot: Pick<Snapshot, 'find'>, id: string): Promise<StoredFact | undefined> =>
  (await snapshot.find({ filter: equals('id', id), order: 'feed', limit: 1 }))[0];

export const beginEpoch = async (transaction: WriteTransaction, epoch: string): Promise<void> =>
  transaction.saveClock(await transaction.lockClock(), epoch);
