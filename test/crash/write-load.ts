import { RawConnection } from '../../bench/load/raw-connection.ts';

/** A fact whose 201, or place among the accepted items of a batch, has reached the client. */
export interface AckedFact {
  readonly id: string;
  readonly hlc: string;
  readonly entity: string;
  readonly v: string;
  readonly confidence: number;
}

/** Everything that the client knows about acknowledged facts. */
export interface WriteHistory {
  readonly acked: AckedFact[];
  /** Stamps in the order in which one writer got them, writer by writer. */
  readonly stampsByWriter: string[][];
  /** Answers other than those that were expected, which a healthy node never gives. */
  readonly unexpected: string[];
}

const WRITERS = 6;
/** Triples that all writers share, so that most writes on them contradict one another. */
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

/** Draws writes from one source of chance, so that a run can be told apart from another by its label alone. */
class WriteSource {
  readonly #label: string;
  readonly #fraction: () => number;
  #next = 0;

  constructor(label: string, fraction: () => number) {
    this.#label = label;
    this.#fraction = fraction;
  }

  /** One assertion, or several for a batch. */
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

  /**
   * Every confidence is another, because a repeated assertion would be answered with the fact that is there already.
   */
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

/** A node to write to. */
export interface Target {
  readonly port: number;
  readonly key: string;
}

/**
 * Writes over several connections, dealt out to the targets, until `isOver`, or until the node is gone: assertions of
 * their own and on few shared triples, retractions, batches. Everything acknowledged is added to `history`. Never
 * rejects because of a lost connection.
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
