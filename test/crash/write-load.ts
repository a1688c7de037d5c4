import { RawConnection } from '../../bench/load/raw-connection.ts';

/** A fact that the node has acknowledged to the client, by status 201 or as an accepted item of a batch. */
export interface AckedFact {
  readonly id: string;
  readonly hlc: string;
  readonly entity: string;
  readonly v: string;
  readonly confidence: number;
}

/** All facts that a client knows to be acknowledged. */
export interface WriteHistory {
  readonly acked: AckedFact[];
  /** Stamps in the order in which each writer received them, writer by writer. */
  readonly stampsByWriter: string[][];
  /** Unexpected answers, which a healthy node never gives. */
  readonly unexpected: string[];
}

const WRITERS = 6;
/** The number of triples that all writers share, so that most writes on them contradict one another. */
const SHARED_TRIPLES = 12;
const SHARED_VALUES = 4;
const BATCH_ITEMS = 5;

interface Assertion {
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly type: 'string'; readonly v: string };
  readonly source: string;
  readonly scope: string;
  readonly confidence: number;
}

const assertion = (entity: string, v: string, confidence: number): Assertion => ({
  entity,
  relation: 'memory:note',
  value: { type: 'string', v },
  source: 'agent:crash',
  scope: 'company',
  confidence,
});

/** Generates writes from one random source, so that the label of a run identifies its writes. */
class WriteSource {
  readonly #label: string;
  readonly #fraction: () => number;
  #next = 0;

  constructor(label: string, fraction: () => number) {
    this.#label = label;
    this.#fraction = fraction;
  }

  /** Returns one assertion, or several for a batch. */
  draw(): Assertion | Assertion[] {
    const kind = this.#fraction();
    if (kind < 0.45) return this.#own();
    if (kind < 0.75) return this.#shared();
    if (kind < 0.85) return this.#retraction();
    return Array.from({ length: BATCH_ITEMS }, () => (this.#fraction() < 0.5 ? this.#own() : this.#shared()));
  }

  #own(): Assertion {
    this.#next += 1;
    return assertion(`own:${this.#label}-${this.#next}`, `value ${this.#next}`, 0.9);
  }

  /** Each confidence differs, because a repeated assertion would return the existing fact. */
  #shared(): Assertion {
    this.#next += 1;
    const confidence = 0.1 + 0.8 * this.#fraction();
    return assertion(this.#sharedEntity(), `value ${this.#pick(SHARED_VALUES)}`, confidence);
  }

  #retraction(): Assertion {
    return assertion(this.#sharedEntity(), 'retracted', 0);
  }

  #sharedEntity(): string {
    return `shared:${this.#pick(SHARED_TRIPLES)}`;
  }

  #pick(of: number): number {
    return Math.floor(this.#fraction() * of);
  }
}

const post = (key: string, path: string, body: unknown): string => {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
};

interface FactAnswer {
  readonly id: string;
  readonly hlc: string;
  readonly entity: string;
  readonly value: { readonly v: string };
  readonly confidence: number;
}

const ackedFacts = (isBatch: boolean, text: string): AckedFact[] => {
  const answer = JSON.parse(text) as FactAnswer & { results: { fact?: FactAnswer }[] };
  const facts = isBatch ? answer.results.flatMap(({ fact }) => fact ?? []) : [answer];
  return facts.map(({ id, hlc, entity, value, confidence }) => ({ id, hlc, entity, v: value.v, confidence }));
};

const runWriter = async ({ port, key }: Target, source: WriteSource, history: WriteHistory, isOver: () => boolean) => {
  const stamps: string[] = [];
  history.stampsByWriter.push(stamps);
  const connection = await RawConnection.open(port);
  try {
    while (!isOver()) {
      const drawn = source.draw();
      const isBatch = Array.isArray(drawn);
      const { status, text } = await connection.exchange(post(key, isBatch ? '/v1/facts/batch' : '/v1/facts', drawn));
      const facts = status === (isBatch ? 200 : 201) ? ackedFacts(isBatch, text) : [];
      if (facts.length !== (isBatch ? BATCH_ITEMS : 1)) history.unexpected.push(`${status} ${text.slice(0, 300)}`);
      history.acked.push(...facts);
      stamps.push(...facts.map(({ hlc }) => hlc));
    }
  } finally {
    connection.close();
  }
};

export const newHistory = (): WriteHistory => ({ acked: [], stampsByWriter: [], unexpected: [] });

/** A node that receives the writes. */
export interface Target {
  readonly port: number;
  readonly key: string;
}

/**
 * Writes over several connections to the targets until `isOver` returns true or the node is gone: assertions,
 * retractions and batches. Adds everything acknowledged to `history`. Never rejects because of a lost connection.
 */
export const writeUntil = async (
  targets: readonly Target[],
  label: string,
  fraction: () => number,
  history: WriteHistory,
  isOver: () => boolean,
  writers = WRITERS,
): Promise<void> => {
  const writing = Array.from({ length: writers }, (_, at) => {
    const source = new WriteSource(`${label}-${at}`, fraction);
    return runWriter(targets[at % targets.length] as Target, source, history, isOver);
  });
  await Promise.allSettled(writing);
};
