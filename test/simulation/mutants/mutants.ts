/** A text replacement in one compiled file. */
export interface Edit {
  /** The path below `dist`. */
  readonly file: string;
  /** The replaced text, which occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

/** A plausible bug, and the check that detects it. */
export interface Mutant {
  readonly name: string;
  /** The defect that the replacement causes. */
  readonly bug: string;
  readonly edits: readonly Edit[];
  /** The check that must fail. */
  readonly noticedBy: Seed | Case;
}

/** A simulation that must fail. */
export interface Seed {
  readonly seed: number;
}

/** A test case that must fail. */
export interface Case {
  /** The path below `test`, without `.test.ts`. */
  readonly file: string;
  /** The full title of the test case. */
  readonly title: string;
}

const FEDERATION = 'plugins/federation';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no-receive-rule',
    bug: 'the clock does not follow the stamps that it takes in',
    edits: [
      {
        file: 'kernel/facts/stamp-fact.js',
        from: 'origin === null ? tickHlc(last, nowMs) : receiveHlc(last, nowMs, origin)',
        to: 'tickHlc(last, nowMs)',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'no-drift-bound',
    bug: 'stamps may lie any time ahead',
    edits: [
      {
        file: 'kernel/time/hybrid-logical-clock.js',
        from: 'boundMs > 0 && hlc.wallMs - nowMs > boundMs',
        to: 'false && boundMs > 0 && hlc.wallMs > nowMs',
      },
    ],
    noticedBy: { seed: 22 },
  },
  {
    name: 'cursor-at-head',
    bug: 'the cursor of a page lies beyond the last entry that was looked at',
    edits: [
      {
        file: `${FEDERATION}/serving/read-page.js`,
        from: 'facts: page.facts, stamps: page.stamps, cursor: page.end, hasMore,',
        to: 'facts: page.facts.slice(0, 3), stamps: page.stamps, cursor: newest.feed, hasMore: false,',
      },
    ],
    noticedBy: { seed: 1 },
  },
  {
    name: 'no-garden-filter',
    bug: 'facts of gardens are served',
    edits: [
      { file: `${FEDERATION}/serving/eligible-facts.js`, from: "isNull('gardenId'), ", to: '' },
      {
        file: `${FEDERATION}/serving/read-page.js`,
        from: "all(await reader.constraint('visible'), eligibleFor(query.requester, query.ownNodeId))",
        to: 'eligibleFor(query.requester, query.ownNodeId)',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'company-relayed',
    bug: 'facts for the company are passed on',
    edits: [
      {
        file: `${FEDERATION}/serving/eligible-facts.js`,
        from: 'any(...mayGo, ...returning), ',
        to: '',
      },
    ],
    noticedBy: { seed: 22 },
  },
  {
    name: 'system-facts-served',
    bug: 'what a node notes for itself, such as where facts came from, is served',
    edits: [
      { file: `${FEDERATION}/serving/eligible-facts.js`, from: "equals('system', false), ", to: '' },
      {
        file: `${FEDERATION}/serving/eligible-facts.js`,
        from: 'foldName(source).startsWith(SYSTEM_SOURCES)',
        to: 'false',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'one-declaration-is-enough',
    bug: 'a scope is open although one side alone has declared it',
    edits: [
      {
        file: `${FEDERATION}/peerings/peering.js`,
        from: 'taker.scopes.includes(scope) && mayLeave(scope)',
        to: 'mayLeave(scope)',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'direction-ignored',
    bug: 'facts flow against the declared direction',
    edits: [
      {
        file: `${FEDERATION}/peerings/peering.js`,
        from: "giver.direction === 'inbound' || taker.direction === 'outbound'",
        to: 'false',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'replay-accepted',
    bug: 'a token serves any number of times',
    edits: [{ file: `${FEDERATION}/tokens/spent-nonces.js`, from: 'return added.length > 0', to: 'return true' }],
    noticedBy: { seed: 5 },
  },
  {
    name: 'proof-unchecked',
    bug: 'the signature of a proof is not verified',
    edits: [
      {
        file: `${FEDERATION}/proofs/judge-proofs.js`,
        from: "good[at++] === true ? 'verified' : 'invalid'",
        to: "good[at++] === true ? 'verified' : 'verified'",
      },
    ],
    noticedBy: { seed: 22 },
  },
  {
    name: 'own-voice-borrowed',
    bug: 'a peer may speak with sources of the node itself',
    edits: [{ file: `${FEDERATION}/ingest/judge-page.js`, from: 'if (isOurs && !(proof', to: 'if (false && !(proof' }],
    noticedBy: { seed: 22 },
  },
  {
    name: 'second-record',
    bug: 'each contradicting fact opens a record of its own',
    edits: [
      {
        file: 'plugins/conflicts/record-contradictions.js',
        from: 'if (record === undefined)\n            place.record = this.#writer.open(',
        to: 'if (true)\n            place.record = this.#writer.open(',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'received-facts-billed',
    bug: 'facts of peers are billed to nobody in particular',
    edits: [
      {
        file: 'plugins/billing/billing-plugin.js',
        from: "if (item.open && item.origin === 'client')",
        to: 'if (item.open)',
      },
    ],
    noticedBy: { seed: 4 },
  },
  {
    name: 'stamps-as-text',
    bug: 'stamps are compared as texts',
    edits: [
      {
        file: 'ports/fact.js',
        from: '=> a.wallMs - b.wallMs || a.counter - b.counter',
        to: "=> ((one, other) => (one < other ? -1 : Number(one > other)))(a.wallMs + '.' + a.counter, b.wallMs + '.' + b.counter)",
      },
    ],
    noticedBy: {
      file: 'kernel/time/hybrid-logical-clock',
      title: 'the hybrid logical clock orders counter 10 after counter 9, unlike text',
    },
  },
  {
    name: 'cursor-before-ingest',
    bug: 'a pull goes on behind a page that could not be stored',
    edits: [
      {
        file: `${FEDERATION}/pulling/pull-turn.js`,
        from: 'lastFailureMs: nowMs, lastError: reason }',
        to: 'lastFailureMs: nowMs, lastError: reason, cursor: this.#saved, epoch: this.#epoch }',
      },
    ],
    noticedBy: {
      file: `${FEDERATION}/pulling/shared-pulls`,
      title: 'pulls by several processes on one store lose no fact and repeat none when any call to the store fails',
    },
  },
  {
    name: 'collision-accepted',
    bug: 'another fact under a known id counts as the known one',
    edits: [
      {
        file: `${FEDERATION}/ingest/namesakes.js`,
        from: 'one.originKey === originKey && isSameTuple(one.said, fact.draft)',
        to: 'one.originKey === originKey',
      },
    ],
    noticedBy: {
      file: `${FEDERATION}/ingest/push`,
      title: 'facts that a peer pushes, on SQLite do not change a stored fact that has the same id',
    },
  },
  {
    name: 'grant-ignored',
    bug: 'any peer ends facts of others',
    edits: [
      {
        file: 'kernel/facts/cover-by.js',
        from: '(noteOf(notes, PeerSpeaker)?.mayEndOthers === false ? fact.speaker : null)',
        to: 'null',
      },
    ],
    noticedBy: { seed: 5 },
  },
  {
    name: 'names-ignored',
    bug: 'a fact that names others ends its whole triple',
    edits: [{ file: 'kernel/facts/default-constraints.js', from: 'NEWER_IN_PLACE, OF_NAME]', to: 'NEWER_IN_PLACE]' }],
    noticedBy: { seed: 1 },
  },
  {
    name: 'epoch-ignored',
    bug: 'a pull goes on at its old place in a new history of the peer',
    edits: [
      {
        file: `${FEDERATION}/pulling/next-position.js`,
        from: 'saved !== null && knownEpoch !== null && epoch !== knownEpoch',
        to: 'false',
      },
    ],
    noticedBy: {
      file: `${FEDERATION}/pulling/hostile-pulls`,
      title:
        'pulls from a broken or hostile peer, on SQLite restart at most once per round from a peer whose epoch changes',
    },
  },
];
