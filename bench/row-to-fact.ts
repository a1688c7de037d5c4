/** One row of a `corpus.jsonl`. `store` separates independent memories, and `id` is unique in its store. */
export interface CorpusRow {
  readonly store: string;
  readonly id: string;
  /** The speaker, or the document itself. */
  readonly entity: string;
  readonly text: string;
  readonly ts?: string;
}

/** A row as an assertion, with its session. */
export interface RowFact {
  readonly session: string;
  readonly body: {
    readonly entity: string;
    readonly relation: string;
    readonly value: { readonly type: 'text'; readonly v: string };
    readonly source: string;
    readonly scope: 'local';
    readonly timestamp?: string;
  };
}

/**
 * Turns a row into a fact. The value of a spoken turn begins with its speaker. A row whose entity is its own id is a
 * document. Entity and source contain `store`, which separates memories on a shared node.
 */
export const rowToFact = (row: CorpusRow): RowFact => {
  const isDocument = row.entity === row.id;
  const [part = row.id] = row.id.split(':');
  return {
    session: `${row.store}/${part}`,
    body: {
      entity: isDocument ? `doc:${row.id}` : `turn:${row.store}/${row.id}`,
      relation: isDocument ? 'doc:abstract' : 'chat:said',
      value: { type: 'text', v: isDocument ? row.text : `${row.entity}: ${row.text}` },
      source: `agent:${row.store}`,
      scope: 'local',
      ...(row.ts === undefined || row.ts === null ? {} : { timestamp: row.ts }),
    },
  };
};
